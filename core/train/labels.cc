#include "core/train/labels.h"

#include <utility>

#include "absl/synchronization/mutex.h"
#include "core/base/cpu_pool.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/routing_state.h"
#include "core/problem/checker.h"
#include "core/problem/formats.h"
#include "core/problem/generators.h"
#include "core/search/search.h"

namespace vrp {
namespace {

absl::StatusOr<LabelledInput> Labelled(const Instance& instance, const Plan& plan) {
  VRP_RETURN_IF_ERROR(NetworkSupports(instance));
  const CheckReport report = CheckPlan(instance, plan);
  if (!report.feasible) {
    return absl::InvalidArgumentError(
        Concat("the label is not feasible: ", report.violations.front().message));
  }
  LabelledInput labelled{.input = MakeNetworkInput(instance), .choices = {}, .cost = report.cost};
  labelled.choices = PlanToChoices(labelled.input, plan);
  return labelled;
}

absl::StatusOr<LabelledInput> HeuristicLabel(const TrainingConfig& config, int64_t index,
                                             const StopCondition& stop) {
  VRP_ASSIGN_OR_RETURN(const Instance instance,
                       GenerateInstance({.kind = config.problem.kind,
                                         .customers = config.problem.customers,
                                         .seed = config.problem.seed,
                                         .capacity = config.problem.capacity},
                                        index));
  VRP_ASSIGN_OR_RETURN(const SearchResult found,
                       Search(instance, {.stop = stop,
                                         .max_iterations = config.supervised.heuristic_iterations,
                                         .seed = config.seed,
                                         .initial = {}}));
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while the labels were made");
  return Labelled(instance, found.plan);
}

absl::StatusOr<Plan> ReferenceRoutes(const nlohmann::json& line) {
  const auto refuse = [] {
    return absl::InvalidArgumentError("ref_routes: wanted an array of arrays of customers");
  };
  const auto found = line.is_object() ? line.find("ref_routes") : line.end();
  if (found == line.end() || !found->is_array()) return refuse();
  Plan plan;
  for (const nlohmann::json& route : *found) {
    if (!route.is_array()) return refuse();
    PlannedRoute planned;
    for (const nlohmann::json& node : route) {
      if (!node.is_number_unsigned() || node.get<uint64_t>() > 10'000'000) return refuse();
      planned.customers.push_back(node.get<NodeIndex>());
    }
    plan.push_back(std::move(planned));
  }
  return plan;
}

absl::StatusOr<LabelledInput> ParseLabel(std::string_view line, const std::string& where) {
  VRP_ASSIGN_OR_RETURN(const Instance instance, ParseJson(line, where));
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJsonText(line, where));
  absl::StatusOr<Plan> plan = ReferenceRoutes(json);
  absl::StatusOr<LabelledInput> labelled =
      plan.ok() ? Labelled(instance, *plan) : absl::StatusOr<LabelledInput>(plan.status());
  if (labelled.ok()) return labelled;
  return absl::InvalidArgumentError(Concat(where, ": ", FromAbsl(labelled.status().message())));
}

}  // namespace

absl::StatusOr<std::vector<LabelledInput>> HeuristicLabels(const TrainingConfig& config,
                                                           int32_t threads,
                                                           const StopCondition& stop) {
  const int64_t count = config.supervised.samples;
  std::vector<absl::StatusOr<LabelledInput>> made(static_cast<size_t>(count),
                                                  absl::CancelledError("cancelled"));
  CpuPool pool(threads);
  pool.ParallelFor(count, [&](int64_t index) {
    if (!stop.ShouldStop()) made[static_cast<size_t>(index)] = HeuristicLabel(config, index, stop);
  });
  std::vector<LabelledInput> labels;
  labels.reserve(made.size());
  for (absl::StatusOr<LabelledInput>& label : made) {
    VRP_RETURN_IF_ERROR(label.status());
    labels.push_back(*std::move(label));
  }
  return labels;
}

absl::StatusOr<std::vector<LabelledInput>> ParseLabels(std::string_view text, std::string_view name,
                                                       int64_t limit) {
  std::vector<LabelledInput> labels;
  int64_t line_number = 0;
  while (!text.empty() && static_cast<int64_t>(labels.size()) < limit) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    ++line_number;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      VRP_ASSIGN_OR_RETURN(LabelledInput label, ParseLabel(line, Concat(name, ":", line_number)));
      labels.push_back(std::move(label));
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (labels.empty()) return absl::InvalidArgumentError(Concat(name, ": wanted at least one line"));
  return labels;
}

absl::StatusOr<std::vector<LabelledInput>> FileLabels(const TrainingConfig& config) {
  constexpr int64_t kMaxBytes = int64_t{2} << 30;
  const std::string& file = config.supervised.label_file;
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxBytes));
  return ParseLabels(text, file, config.supervised.samples);
}

}  // namespace vrp
