// The outcome of a training run.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace vrp {

// The reason why a training run ended.
enum class TrainingEnd {
  kUnknown,
  kAllEpochs,
  kNoImprovement,  // training.patience
  kEpochLimit,
  kTimeLimit,
  kStopped,  // asked to end early, see TrainingRequest::end_early
};

// The reason why a model has its weights.
enum class PublishReason {
  kUnknown,
  kBestValidation,  // `training.publish: best`: lowest validation cost; of equal ones the first
  kLastWeights,     // `training.publish: last`
  kNotValidated,    // `training.publish: best`, but no validation gave a cost, so the last weights
};
// Returns "", "best validation", "last weights" or "not validated".
std::string_view PublishReasonName(PublishReason reason);
// Returns the reason with this name, or nullopt if there is none.
std::optional<PublishReason> ParsePublishReason(std::string_view name);

// The published weights of a run and the reason for its end.
struct TrainingResult {
  // The step after which the weights were copied. It may be earlier than the run's last step.
  int64_t steps = 0;
  int64_t epoch = 0;  // epoch of that step, from 1
  PublishReason reason = PublishReason::kUnknown;
  double validation_cost = 0;       // 0: not validated
  double validation_reference = 0;  // mean cost of `reference`; 0 if there is none
  double validation_gap = std::numeric_limits<double>::quiet_NaN();  // mean; NaN: no reference
  std::string reference = {};
  TrainingEnd end = TrainingEnd::kAllEpochs;
};

}  // namespace vrp
