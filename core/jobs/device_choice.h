// Chooses between the CPU and a GPU for training jobs with `device: auto`.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/jobs/job_store.h"
#include "core/jobs/training_places.h"
#include "core/train/run/trainer.h"

namespace vrp {

// A choice, and its reason for the job's log.
struct DeviceChoice {
  DeviceId device;
  std::string reason;
};

// The environment of a choice. All members outlive it.
struct DeviceChoiceContext {
  JobStore& store;  // keeps what was measured, so that each configuration is measured once
  Trainer& trainer;
  const TrainingPlaces& places;
};

// Returns the device on which the steps of a job are faster: the CPU, or the GPU `request.device`.
// Measures both unless equal steps were measured before. A device that cannot train the job loses;
// if neither can, returns the error of the GPU. Measures in the empty folder `folder`. Returns
// kCancelled if `cancel` is set meanwhile. Blocks.
absl::StatusOr<DeviceChoice> ChooseDevice(const DeviceChoiceContext& context, const JobSpec& spec,
                                          const TrainingRequest& request, const std::string& folder,
                                          const std::shared_ptr<const CancelFlag>& cancel);

}  // namespace vrp
