// The two passes over a step's instances, for any network: its rollouts, and the gradient along
// their tours. Nothing here waits for the device. Needs torch.
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

// What outlives the passes.
struct StepPassesOptions {
  const TorchNetwork* network = nullptr;
  const TorchParameters* parameters = nullptr;
  const TorchBatch* instances = nullptr;  // B of at most N nodes, in float32
  const StepRules* rules = nullptr;       // [B], on the device
  StepStream* stream = nullptr;           // whose work the passes are
  Precision precision = Precision::kFp32;
  const LossScaler* scaler = nullptr;  // null: losses are not scaled
  bool deterministic = false;
  bool gradient_checkpointing = false;
};

// Of a rollout, [B * P] each.
struct RolloutTensors {
  at::Tensor costs;            // double: sums of distances, see MetricSum
  at::Tensor log_likelihoods;  // double, of the network's own choices
  at::Tensor lengths;          // int32
  at::Tensor agreements;       // int32: choices that were the likeliest
  at::Tensor ends;             // int32: TrajectoryEnd
};

class StepPasses {
 public:
  virtual ~StepPasses() = default;

  // Greedy or sampled; a network with fused passes follows given choices too.
  virtual absl::StatusOr<RolloutTensors> RollOut(const BatchRolloutRequest& request) = 0;
  // Of the last rollout, of each instance trajectory `which` [B] int64 alone, as if there had been
  // no other.
  virtual RolloutTensors Keep(const at::Tensor& which) = 0;
  // Of the last rollout: adds the gradient of sum(weights * terms), where terms [B * P] double are
  // the tours' log-likelihoods anew, smoothed as in GradientRequest. Gradients have to be on, and
  // `weights` [B * P] double.
  virtual absl::StatusOr<at::Tensor> Derive(const at::Tensor& weights, double label_smoothing) = 0;
};

// Encodes the instances. A network without fused passes has to be a sequence model.
std::unique_ptr<StepPasses> MakeStepPasses(const StepPassesOptions& options);

}  // namespace vrp
