// Captured steps, which the device runs without waiting for the host. The host begins them and gets
// their results later. The host waits for the steps only if it needs the weights: at a validation,
// a checkpoint, a live model or the end.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/model/policy/captured_steps.h"
#include "core/train/run/step_resources.h"

namespace vrp {

// The captured steps of a run. Used only by the training thread.
class DeviceSteps {
 public:
  // Captures the steps after the first `steps_done` ones. Returns null if the host must take the
  // steps, and logs the reason if a capture on a CUDA device failed. Fails only if the device is
  // lost.
  static absl::StatusOr<std::unique_ptr<DeviceSteps>> Create(const StepResources& resources,
                                                             int64_t steps_done);

  // Begins step `step` (from 1) and reports the earlier steps that have finished. Returns false if
  // the host must take this step and all later ones.
  absl::StatusOr<bool> Begin(int64_t step);
  // Blocks until all started steps have finished. The network and the learner then have the state
  // after the last one.
  absl::Status Settle();

 private:
  explicit DeviceSteps(const StepResources& resources) : resources_(resources) {}

  // Sets request_ to the learner's request.
  absl::Status Request();
  // Makes steps_ by request_, in as many parts as the memory needs. The steps continue the host's
  // state after `steps_done` steps.
  absl::Status Capture(int64_t steps_done);
  // Begins a step on `batch`, or on instances that the device draws if `batch` is null. If memory
  // runs out, divides the step into smaller parts. Returns false like Begin.
  absl::StatusOr<bool> BeginOn(int64_t step, const TrainingBatch* batch);
  void LeaveToHost(int64_t step, const absl::Status& reason);
  // Reports the steps that have finished since the last call.
  absl::Status ReportEnded();
  absl::Status EndStep(const CapturedStepReport& report, double seconds);

  const StepResources resources_;
  CapturedStepsRequest request_;
  absl::Status host_draw_reason_;  // reason why the device does not draw the instances
  std::unique_ptr<CapturedSteps> steps_;
  int64_t begun_step_ = 0;
  int64_t settled_step_ = 0;
  absl::Time reported_ = absl::InfinitePast();  // InfinitePast until a step begins after Settle
};

}  // namespace vrp
