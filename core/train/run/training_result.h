// The outcome of a training.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace vrp {

// Why a training came to its end.
enum class TrainingEnd {
  kUnknown,
  kAllEpochs,
  kNoImprovement,  // training.patience
  kEpochLimit,
  kTimeLimit,
  kStopped,  // asked to end early, see TrainingRequest::end_early
};

// Why a model has the weights that it has.
enum class PublishReason {
  kUnknown,
  kBestValidation,  // `training.publish: best`: the lowest validation cost, of equal ones the first
  kLastWeights,     // `training.publish: last`
  kNotValidated,    // `training.publish: best`, but no validation gave a cost: the last weights
};
// "", "best validation", "last weights", "not validated".
std::string_view PublishReasonName(PublishReason reason);
std::optional<PublishReason> ParsePublishReason(std::string_view name);

struct TrainingResult {
  // Steps behind the published weights, not the run's last step.
  int64_t steps = 0;
  int64_t epoch = 0;  // from 1: the one that the last of these steps belongs to
  PublishReason reason = PublishReason::kUnknown;
  double validation_cost = 0;       // 0: not validated
  double validation_reference = 0;  // mean cost of `reference`; 0 where there is none
  double validation_gap = std::numeric_limits<double>::quiet_NaN();  // to `reference`; NaN: none
  std::string reference = {};
  TrainingEnd end = TrainingEnd::kAllEpochs;
};

}  // namespace vrp
