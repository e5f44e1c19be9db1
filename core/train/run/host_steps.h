// Training steps that the host executes part by part.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/train/run/step_resources.h"

namespace vrp {

// The steps of a run on the host. Used only by the training thread.
class HostSteps {
 public:
  explicit HostSteps(const StepResources& resources) : resources_(resources) {}

  // Executes step `step` (from 1) and reports it. `start` is the time at which the step began.
  absl::Status Take(int64_t step, absl::Time start);

 private:
  // Computes the gradient. If memory runs out, divides the step into smaller parts.
  absl::StatusOr<StepOutcome> Gradient(int64_t step, const TrainingBatch& batch);

  const StepResources resources_;
};

}  // namespace vrp
