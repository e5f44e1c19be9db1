// A batch's rollouts and second passes in one launch each (core/kernels/decoder/batch_decoder.h).
// Torch provides the memory. Autograd computes the gradients before the decoder. Needs torch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/torch/batch.h"
#include "core/model/torch/passes.h"

namespace vrp {

// The part of a batch that a FusedDecoder decodes.
struct FusedBatch {
  const NetworkBatch* batch = nullptr;
  int32_t first = 0;  // instances first .. first + count - 1 are encoded
  int32_t count = 0;
  bool deterministic = false;  // whether to sum gradients in a fixed order
};

// The gradient and the log-likelihoods of a second pass.
struct FusedGradient : PassGradient {
  std::vector<double> log_likelihoods;  // [B * P], of the smoothed terms
};

// A decoder that runs each pass in one launch. Not thread-safe.
class FusedDecoder {
 public:
  virtual ~FusedDecoder() = default;

  // Decodes the batch's part like PolicyEngine::Run. Copies all results to the host in one copy.
  // `request` must live until the last SecondPass of this rollout.
  virtual absl::StatusOr<Trajectories> Rollout(const RolloutRequest& request) = 0;

  // Computes the gradient of the last rollout's trajectories; `weights` [B * P].
  virtual absl::StatusOr<FusedGradient> SecondPass(std::span<const double> weights,
                                                   double label_smoothing) = 0;
};

// Makes a decoder. `transfers` and the NetworkBatch of `batch` must outlive it.
std::unique_ptr<FusedDecoder> MakeFusedDecoder(const DecoderProjections& projections,
                                               const FusedBatch& batch, Transfers& transfers);

}  // namespace vrp
