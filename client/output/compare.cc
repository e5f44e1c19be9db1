#include "client/output/compare.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "client/output/progress_text.h"
#include "client/output/tables.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

using Jobs = std::vector<v1::TrainingJob>;
using Values = std::vector<std::optional<std::string>>;  // one value per job

// Returns the settings of the job's configuration and its request.
std::map<std::string, std::string> RequestedSettings(const v1::TrainingJob& job) {
  const v1::TrainingSpec& spec = job.spec();
  std::map<std::string, std::string> settings(job.settings().begin(), job.settings().end());
  settings["device"] = spec.device();
  settings["priority"] = absl::StrCat(spec.priority());
  for (const auto& [key, value] : spec.labels()) settings["label " + key] = value;
  if (spec.has_time_limit()) settings["time limit"] = FormatSpan(ToDuration(spec.time_limit()));
  if (spec.epoch_limit() > 0) settings["epoch limit"] = absl::StrCat(spec.epoch_limit());
  if (spec.threads() > 0) settings["threads"] = absl::StrCat(spec.threads());
  return settings;
}

std::map<std::string, Values> Differences(const Jobs& jobs) {
  std::map<std::string, Values> all;
  for (size_t i = 0; i < jobs.size(); ++i) {
    for (const auto& [key, value] : RequestedSettings(jobs[i])) {
      Values& values = all[key];
      values.resize(jobs.size());
      values[i] = value;
    }
  }
  std::erase_if(all, [](const auto& entry) {
    const Values& values = entry.second;
    return std::all_of(values.begin(), values.end(),
                       [&values](const auto& value) { return value == values.front(); });
  });
  return all;
}

std::string StepOf(const v1::TrainingProgress& progress) {
  return absl::StrCat(progress.step(), "/", progress.total_steps());
}

double MeanRate(const v1::TrainingJob& job) {
  const v1::TrainingTotals& totals = job.progress().totals();
  return totals.step_seconds() > 0 ? static_cast<double>(totals.instances()) / totals.step_seconds()
                                   : 0;
}

}  // namespace

std::string CompareText(const Jobs& jobs) {
  std::vector<std::string> header = {"JOB"};
  for (const v1::TrainingJob& job : jobs) header.push_back(job.name());
  Table table(std::move(header));
  const auto add = [&](std::string title,
                       const std::function<std::string(const v1::TrainingJob&)>& cell) {
    std::vector<std::string> row = {std::move(title)};
    for (const v1::TrainingJob& job : jobs) row.push_back(cell(job));
    table.AddRow(std::move(row));
  };
  add("state", [](const auto& job) { return JobStateWord(job.state()); });
  add("end reason", [](const auto& job) { return EndReasonText(job.end_reason()); });
  add("step", [](const auto& job) { return job.has_progress() ? StepOf(job.progress()) : "-"; });
  add("run time", [](const auto& job) { return FormatSpan(ToDuration(job.run_time())); });
  add("seconds per step", [](const auto& job) {
    const v1::TrainingProgress& progress = job.progress();
    return progress.has_seconds_per_step() ? FormatSeconds(progress.seconds_per_step()) : "-";
  });
  add("seconds per epoch", [](const auto& job) {
    const v1::TrainingProgress& progress = job.progress();
    return progress.has_seconds_per_epoch() ? FormatSeconds(progress.seconds_per_epoch()) : "-";
  });
  add("instances/s", [](const auto& job) { return FormatRate(MeanRate(job)); });
  add("best val cost", [](const auto& job) {
    return job.has_best() ? FormatNumber(job.best().validation_cost()) : "-";
  });
  add("best val gap",
      [](const auto& job) { return job.best().has_validation_gap() ? GapText(job.best()) : "-"; });
  add("best val step",
      [](const auto& job) { return job.has_best() ? absl::StrCat(job.best().step()) : "-"; });
  add("model", [](const auto& job) { return job.model().empty() ? "-" : job.model(); });
  for (const auto& [key, values] : Differences(jobs)) {
    std::vector<std::string> row = {key};
    for (const auto& value : values) row.push_back(value.value_or("-"));
    table.AddRow(std::move(row));
  }
  return table.Text();
}

Json CompareJson(const Jobs& jobs) {
  Json list = Json::array();
  for (const v1::TrainingJob& job : jobs) {
    const bool best = job.has_best();
    list.push_back(
        {{"name", job.name()},
         {"state", JobStateWord(job.state())},
         {"end_reason", EndReasonJson(job.end_reason())},
         {"epoch", job.progress().epoch()},
         {"step", job.progress().step()},
         {"steps", job.progress().total_steps()},
         {"run_seconds", JsonNumber(absl::ToDoubleSeconds(ToDuration(job.run_time())))},
         {"instances_per_second", JsonNumber(MeanRate(job))},
         {"seconds_per_step", SecondsPerStep(job.progress())},
         {"seconds_per_epoch", SecondsPerEpoch(job.progress())},
         {"best_validation_cost", best ? JsonNumber(job.best().validation_cost()) : Json()},
         {"best_validation_gap",
          job.best().has_validation_gap() ? JsonNumber(job.best().validation_gap()) : Json()},
         {"best_validation_reference", TextOrNull(job.best().validation_reference())},
         {"best_step", best ? Json(job.best().step()) : Json()},
         {"model", TextOrNull(job.model())}});
  }
  Json differences = Json::object();
  for (const auto& [key, values] : Differences(jobs)) {
    for (size_t i = 0; i < jobs.size(); ++i) {
      differences[key][jobs[i].name()] = values[i].has_value() ? Json(*values[i]) : Json();
    }
  }
  return {{"jobs", list}, {"differences", differences}};
}

}  // namespace vrp::client
