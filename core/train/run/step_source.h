// The steps of a run, by the device itself if it can capture them, otherwise by the host.
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

// For the training thread.
class StepSource {
 public:
  // The parts of the run that the steps work with, which outlive them.
  struct Parts {
    RunContext& context;
    TrainedNetwork& network;
    Learner& learner;
    BatchSource& batches;
    Reporter& reporter;
  };
  explicit StepSource(const Parts& parts);

  // Decides who takes the steps after the `steps_done` first ones. Fails if the device is lost.
  absl::Status Start(int64_t steps_done);
  // Takes step `step` (from 1), or begins it on the device. Steps are reported once they have
  // ended.
  absl::Status Take(int64_t step);
  // Blocks until all steps begun have ended. The network and the learner then have the state after
  // the last one.
  absl::Status Settle();

  // The state for checkpoints, as of a learner (Learner::ScalarState).
  std::map<std::string, double> ScalarState() const { return micro_batch_.ScalarState(); }
  void Restore(const std::map<std::string, double>& scalars) { micro_batch_.Restore(scalars); }

 private:
  RunContext& context_;
  MicroBatch micro_batch_;
  BatchFeed feed_;
  const StepResources resources_;
  HostSteps host_;
  std::unique_ptr<DeviceSteps> device_;  // null: the host takes the steps
};

}  // namespace vrp
