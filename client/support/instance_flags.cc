#include "client/support/instance_flags.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client {

void AddInstanceOptions(CLI::App& command, InstanceFlags& flags, const std::string& formats) {
  command.add_option("--format", flags.format, "Read the file as " + formats)
      ->type_name("WORD")
      ->capture_default_str();
  command
      .add_option("--objective", flags.objective,
                  "Override the file's objective: distance, vehicles_then_distance, duration, cost")
      ->type_name("WORD");
  command
      .add_option("--metric", flags.metric,
                  "Override the file's metric: exact, cvrplib (rounded), ceil or dimacs")
      ->type_name("WORD");
  command
      .add_option("--roads", flags.roads,
                  "Use distances and times of this road network of the daemon (see server info)")
      ->type_name("NAME");
}

absl::StatusOr<v1::InstanceFile> EmptyInstanceFile(const InstanceFlags& flags) {
  v1::InstanceFile file;
  const absl::StatusOr<v1::InstanceFormat> format = ParseInstanceFormat(flags.format);
  if (!format.ok()) return format.status();
  file.set_format(*format);
  if (!flags.objective.empty()) {
    const absl::StatusOr<v1::Objective> objective = ParseObjective(flags.objective);
    if (!objective.ok()) return objective.status();
    file.set_objective(*objective);
  }
  if (!flags.metric.empty()) {
    const absl::StatusOr<v1::Metric> metric = ParseMetric(flags.metric);
    if (!metric.ok()) return metric.status();
    file.set_metric(*metric);
  }
  file.set_road_network(flags.roads);
  return file;
}

bool MayNameRoads(const v1::InstanceFile& file) {
  return !file.road_network().empty() || absl::StrContains(file.content(), "\"road_network\"");
}

absl::StatusOr<v1::InstanceFile> ReadInstanceFile(const std::string& path,
                                                  const InstanceFlags& flags,
                                                  std::istream& standard_input) {
  absl::StatusOr<v1::InstanceFile> file = EmptyInstanceFile(flags);
  if (!file.ok()) return file;
  absl::StatusOr<std::string> content = ReadInput(path, standard_input);
  if (!content.ok()) return content.status();
  file->set_name(ToValidUtf8(BaseName(path)));
  file->set_content(*std::move(content));
  return file;
}

}  // namespace vrp::client
