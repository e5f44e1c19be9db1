#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <span>

#include "core/kernels/pointer_attention.h"
#include "core/model/pointer_network.h"
#include "core/model/routing_state.h"

namespace vrp {
namespace {

constexpr int64_t kGrain = 16;  // trajectories a piece of parallel work

// Part `index` of a contiguous float tensor that consists of parts of `count` elements.
std::span<const float> Part(const at::Tensor& tensor, int64_t index, int64_t count) {
  return {tensor.const_data_ptr<float>() + index * count, static_cast<size_t>(count)};
}
std::span<float> MutablePart(at::Tensor& tensor, int64_t index, int64_t count) {
  return {tensor.mutable_data_ptr<float>() + index * count, static_cast<size_t>(count)};
}

AttentionNodes NodesOf(const StepInputs& inputs, int64_t row, int64_t nodes) {
  const auto* forbidden = reinterpret_cast<const uint8_t*>(inputs.forbidden.const_data_ptr<bool>());
  return {nodes,
          kDynamicFeatures,
          Part(inputs.dynamic, row, nodes * kDynamicFeatures),
          {forbidden + row * nodes, static_cast<size_t>(nodes)}};
}

}  // namespace

at::Tensor PointerNetwork::ScoreByLoops(const EncodedNodes& encoded, const at::Tensor& outputs,
                                        const StepInputs& inputs) const {
  const int64_t trajectories = outputs.size(1);
  const int64_t rows = outputs.size(0) * trajectories;
  const int64_t nodes = encoded.nodes.size(1);
  const int64_t hidden = options_.hidden;
  const int64_t width = hidden / heads_;
  const at::Tensor flat = outputs.reshape({rows, hidden});
  const at::Tensor glimpse_query =
      at::linear(flat, Parameter("glimpse.query.weight")) / std::sqrt(static_cast<double>(width));
  const at::Tensor& bias = Parameter("glimpse.dynamic.weight");
  at::Tensor seen = at::empty_like(glimpse_query);
  at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t b = row / trajectories;
      Glimpse(NodesOf(inputs, row, nodes),
              {heads_, width, Part(encoded.glimpse_keys, b, hidden * nodes),
               Part(encoded.glimpse_values, b, hidden * nodes), Part(bias, 0, bias.numel())},
              Part(glimpse_query, row, hidden), MutablePart(seen, row, hidden));
    }
  });
  const at::Tensor query = flat + at::linear(seen, Parameter("glimpse.out.weight"));
  const at::Tensor pointer_query =
      at::linear(query, Parameter("pointer.query.weight")) / std::sqrt(static_cast<double>(hidden));
  const at::Tensor weights =
      at::linear(query, Parameter("pointer.dynamic.weight"), Parameter("pointer.dynamic.bias"));
  at::Tensor logits = at::empty({rows, nodes}, outputs.options());
  at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      PointerLogits(NodesOf(inputs, row, nodes),
                    {Part(encoded.pointer_keys, row / trajectories, hidden * nodes),
                     Part(weights, row, kDynamicFeatures), static_cast<float>(options_.logit_clip)},
                    Part(pointer_query, row, hidden), MutablePart(logits, row, nodes));
    }
  });
  return logits.view({outputs.size(0), trajectories, nodes});
}

}  // namespace vrp
