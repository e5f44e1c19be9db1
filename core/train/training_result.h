// What comes of a training.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace vrp {

// Why a training came to its end.
enum class TrainingEnd {
  kUnknown,
  kAllEpochs,
  kNoImprovement,  // training.patience
  kEpochLimit,
  kTimeLimit,
};

struct TrainingResult {
  int64_t steps = 0;
  // Of the weights that were published: with `training.patience` the best, else the last.
  double validation_cost = 0;
  double validation_reference = 0;  // mean cost of `reference`; 0 where there is none
  double validation_gap = std::numeric_limits<double>::quiet_NaN();  // to `reference`; NaN: none
  std::string reference = {};
  TrainingEnd end = TrainingEnd::kAllEpochs;
};

}  // namespace vrp
