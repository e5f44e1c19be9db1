// Rollout and second pass of a batch whose projections, rules and results are on one device.
// The functions here do not synchronise with the device. This header needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/kernels/decoder/batch_decoder.h"

namespace vrp {

// The decoder's inputs from an encoded batch, all of one type: float or, on the CPU, double.
struct DecoderProjections {
  DecoderShape shape;
  // Keys, values, logit keys and queries, [B, N, 4, H]. With a TSP in the batch also queries of a
  // tour's first node, [B, N, 5, H].
  at::Tensor rows;
  at::Tensor base;                       // [B, H]
  at::Tensor start;                      // [B, H]: a TSP's first query
  at::Tensor shares;                     // [kContextShares, H]
  at::ScalarType computed = at::kFloat;  // the type in which `rows` were computed
};

// Returns the columns of a rollout's results at `base`: costs, log-likelihoods, lengths,
// agreements, ends, choices. The columns of 8 bytes come first.
BatchRolloutResult RolloutViews(uint8_t* base, int64_t rows, int32_t max_steps);

// The memory of a rollout's results on the device.
class RolloutMemory {
 public:
  RolloutMemory(int64_t rows, int32_t max_steps, at::Device device);

  BatchRolloutResult result() const { return Views(bytes_.mutable_data_ptr<uint8_t>()); }
  // Returns the same columns of another copy of the memory.
  BatchRolloutResult Views(uint8_t* base) const { return RolloutViews(base, rows_, max_steps_); }
  const at::Tensor& bytes() const { return bytes_; }
  int32_t max_steps() const { return max_steps_; }

  // Returns the costs as a view of `bytes`, [rows]. The next functions return other columns.
  at::Tensor Costs() const { return Column(0, 8, at::kDouble); }
  at::Tensor LogLikelihoods() const { return Column(8, 8, at::kDouble); }
  at::Tensor Lengths() const { return Column(16, 4, at::kInt); }
  at::Tensor Agreements() const { return Column(20, 4, at::kInt); }
  at::Tensor Ends() const { return Column(24, 4, at::kInt); }
  // Returns the choices, [rows, T] int32.
  at::Tensor Choices() const {
    return Column(28, 4 * int64_t{max_steps_}, at::kInt).view({rows_, max_steps_});
  }

 private:
  // Returns one column. `offset` is the number of bytes per row of the columns before it.
  at::Tensor Column(int64_t offset, int64_t size, at::ScalarType type) const {
    return bytes_.narrow(0, offset * rows_, size * rows_).view(type);
  }

  int64_t rows_;
  int32_t max_steps_;
  at::Tensor bytes_;
};

// The gradient of a second pass with respect to tensors that autograd knows.
struct PassGradient {
  std::vector<at::Tensor> roots;
  std::vector<at::Tensor> gradients;
};

// Both passes of a batch, in one launch each.
template <typename T>
class FusedPasses {
 public:
  // Makes passes. `rules` [B] are on the projections' device and must outlive them.
  FusedPasses(const DecoderProjections& projections, const StepRules* rules, bool deterministic);

  absl::Status Rollout(const BatchRolloutRequest& request, const BatchRolloutResult& result) {
    return decoder_->Rollout(Batch(), request, result);
  }
  // Writes log_likelihoods [B * P] and returns the gradient of sum(weights * log_likelihoods).
  absl::StatusOr<PassGradient> SecondPass(const BatchSecondPassRequest& request,
                                          double* log_likelihoods);

 private:
  template <typename Value>
  BatchNodes<Value> NodesOf(Value* rows, Value* base, Value* start, Value* shares) const;
  DecoderBatch<T> Batch() const;

  const DecoderProjections projections_;
  const StepRules* const rules_;
  const at::Tensor rows_;  // the projections' rows, without autograd; so are the next three
  const at::Tensor base_;
  const at::Tensor start_;
  const at::Tensor shares_;
  std::unique_ptr<BatchDecoder<T>> decoder_;
};

}  // namespace vrp
