// The two passes over a step's instances, for any network: rollouts, and the gradient along them.
// The functions here do not synchronise with the device. This header needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/device/step_stream.h"
#include "core/kernels/decoder/decoder_program_rollout.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/model/torch/network.h"
#include "core/model/torch/precision.h"

namespace vrp {

// The objects and options that the passes use. The objects must outlive the StepPasses.
struct StepPassesOptions {
  const TorchNetwork* network = nullptr;
  const TorchParameters* parameters = nullptr;
  const TorchBatch* instances = nullptr;  // B of at most N nodes, in float32
  const StepRules* rules = nullptr;       // [B], on the device
  StepStream* stream = nullptr;           // stream on which the work is enqueued
  Precision precision = Precision::kFp32;
  const LossScaler* scaler = nullptr;   // null: losses are not scaled
  bool deterministic = false;           // whether to sum gradients in a fixed order
  bool gradient_checkpointing = false;  // as in EngineOptions
};

// Results of a rollout, [B * P] each.
struct RolloutTensors {
  at::Tensor costs;            // double: sums of distances, see MetricSum
  at::Tensor log_likelihoods;  // double, of the network's own choices
  at::Tensor lengths;          // int32
  at::Tensor agreements;       // int32: choices that were the likeliest
  at::Tensor ends;             // int32: TrajectoryEnd
};

// The rollouts and the gradients of a step's encoded instances.
class StepPasses {
 public:
  virtual ~StepPasses() = default;

  // Decodes greedily or by sampling; a network with fused passes also takes forced choices.
  virtual absl::StatusOr<RolloutTensors> RollOut(const BatchRolloutRequest& request) = 0;
  // Reduces the last rollout to trajectory `which` [B] int64 of each instance.
  virtual RolloutTensors Keep(const at::Tensor& which) = 0;
  // Adds the gradient of sum(weights * terms) over the last rollout, and returns the terms. The
  // terms [B * P] double are the trajectories' recomputed log-likelihoods, smoothed as in
  // GradientRequest. Needs grad mode and `weights` [B * P] double.
  virtual absl::StatusOr<at::Tensor> Backward(const at::Tensor& weights,
                                              double label_smoothing) = 0;
};

// Encodes the instances and makes their passes. A network without fused passes must be a sequence
// model.
std::unique_ptr<StepPasses> MakeStepPasses(const StepPassesOptions& options);

}  // namespace vrp
