// Instances with good plans, to learn from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/model/network_input.h"
#include "core/train/training_config.h"

namespace vrp {

struct LabelledInput {
  NetworkInput input;
  std::vector<int32_t> choices;  // that lead to the label's plan
  double cost = 0;               // of that plan
};

// supervised.samples generated instances with the plans of our own search, made on `threads`
// threads; the same whatever their number. kCancelled by `stop`.
absl::StatusOr<std::vector<LabelledInput>> HeuristicLabels(const TrainingConfig& config,
                                                           int32_t threads,
                                                           const StopCondition& stop);

// The first supervised.samples of the label file: JSON lines, each with ref_routes (customers
// counted from 1, routes without the depot; a TSP has one, without its first city 0).
// kInvalidArgument: `file:line: ...`, also for a plan that is not feasible.
absl::StatusOr<std::vector<LabelledInput>> FileLabels(const TrainingConfig& config);
absl::StatusOr<std::vector<LabelledInput>> ParseLabels(std::string_view text, std::string_view name,
                                                       int64_t limit);

}  // namespace vrp
