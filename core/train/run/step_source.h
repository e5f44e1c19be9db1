// The steps of a run, on the device if it can capture them, otherwise on the host.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/train/run/batch_feed.h"
#include "core/train/run/device_steps.h"
#include "core/train/run/host_steps.h"
#include "core/train/run/micro_batch.h"

namespace vrp {

// The source of a run's steps. Used only by the training thread.
class StepSource {
 public:
  // The parts of the run that the steps work with. They must outlive the steps.
  struct Parts {
    RunContext& context;
    TrainedNetwork& network;
    Learner& learner;
    BatchSource& batches;
    Reporter& reporter;
  };
  explicit StepSource(const Parts& parts);

  // Decides whether the device or the host executes the steps after the first `steps_done` ones.
  // Fails if the device is lost.
  absl::Status Start(int64_t steps_done);
  // Executes step `step` (from 1), or starts it on the device. Steps are reported once they have
  // finished.
  absl::Status Take(int64_t step);
  // Blocks until all started steps have finished. The network and the learner then have the state
  // after the last one.
  absl::Status Settle();

  // Returns the state for checkpoints, like Learner::ScalarState.
  std::map<std::string, double> ScalarState() const { return micro_batch_.ScalarState(); }
  void Restore(const std::map<std::string, double>& scalars) { micro_batch_.Restore(scalars); }

 private:
  RunContext& context_;
  MicroBatch micro_batch_;
  BatchFeed feed_;
  const StepResources resources_;
  HostSteps host_;
  std::unique_ptr<DeviceSteps> device_;  // null: the host executes the steps
};

}  // namespace vrp
