// A batch's rollouts and second passes in one launch each (core/kernels/batch_decoder.h), with
// torch's tensors as memory and its autograd before them. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/kernels/decoder_nodes.h"
#include "core/model/policy_engine.h"
#include "core/model/torch_batch.h"

namespace vrp {

// What an encoded batch gives the decoder, all of one type: float or, on the CPU, double.
struct DecoderProjections {
  DecoderShape shape;
  // [B, N, 5, H]: keys, values, logit keys, queries and, where a TSP is in the batch, the queries
  // by a tour's first node; [B, N, 4, H] otherwise.
  at::Tensor rows;
  at::Tensor base;    // [B, H]
  at::Tensor start;   // [B, H]: a TSP's first query
  at::Tensor shares;  // [kContextShares, H]
};

struct FusedBatch {
  const NetworkBatch* batch = nullptr;
  int32_t first = 0;  // instances first .. first + count - 1 are encoded
  int32_t count = 0;
  bool deterministic = false;
};

// The second pass: gradients of sum(weights * log_likelihoods) by tensors that autograd knows.
struct FusedGradient {
  std::vector<double> log_likelihoods;  // [B * P]; of the smoothed terms
  std::vector<at::Tensor> roots;
  std::vector<at::Tensor> gradients;
};

// One thread at a time.
class FusedDecoder {
 public:
  virtual ~FusedDecoder() = default;

  // As PolicyEngine::Run, of the batch's part. Everything comes back in one copy.
  virtual absl::StatusOr<Trajectories> Rollout(const RolloutRequest& request) = 0;

  // Of the last rollout's trajectories; `weights` [B * P].
  virtual absl::StatusOr<FusedGradient> SecondPass(std::span<const double> weights,
                                                   double label_smoothing) = 0;
};

// `projections` and `transfers` outlive it.
std::unique_ptr<FusedDecoder> MakeFusedDecoder(const DecoderProjections& projections,
                                               const FusedBatch& batch, Transfers& transfers);

}  // namespace vrp
