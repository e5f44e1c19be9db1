// The sequence transformer in LibTorch's operators: the reference of its gradients, and the rival
// in benchmarks.
#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/model/habits/sequence_parameters.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp::test {

// A batch as tensors, with the shapes of SequenceBatch.
struct TorchSequences {
  at::Tensor types;       // [B, L] int64
  at::Tensor contexts;    // [B, L, F]
  at::Tensor candidates;  // [B, C, F]
  at::Tensor targets;     // [B, L] int64, -1: none
  at::Tensor allowed;     // [B, L, C] bool: whether the candidate can be chosen there
};

inline TorchSequences SequencesOf(const SequenceBatch& b, int32_t features, at::ScalarType type) {
  const int64_t size = b.size;
  const auto copy = [&](const auto& span, at::IntArrayRef shape, at::ScalarType from) {
    return at::from_blob(const_cast<void*>(static_cast<const void*>(span.data())), shape, from)
        .clone();
  };
  TorchSequences t;
  t.types = copy(b.types, {size, b.max_length}, at::kByte).to(at::kLong);
  t.contexts = copy(b.contexts, {size, b.max_length, features}, at::kFloat).to(type);
  t.candidates = copy(b.candidates, {size, b.max_candidates, features}, at::kFloat).to(type);
  t.targets = copy(b.targets, {size, b.max_length}, at::kInt).to(at::kLong);
  const at::Tensor visited = copy(b.visited_from, {size, 1, b.max_candidates}, at::kInt);
  const at::Tensor counts = copy(b.candidate_counts, {size, 1, 1}, at::kInt);
  const at::Tensor positions = at::arange(b.max_length, at::kInt).view({1, -1, 1});
  const at::Tensor numbers = at::arange(b.max_candidates, at::kInt).view({1, 1, -1});
  t.allowed = visited.gt(positions).logical_and(numbers.lt(counts));
  // Targets behind the length do not count.
  const at::Tensor lengths = copy(b.lengths, {size, 1}, at::kInt);
  t.targets =
      at::where(positions.view({1, -1}).lt(lengths), t.targets, at::full({}, -1, at::kLong));
  return t;
}

// The network. Its parameters are views of one leaf tensor in the layout's order.
class TorchSequenceTransformer {
 public:
  // `flat` requires a gradient and has the layout's size.
  TorchSequenceTransformer(const SequenceTransformerOptions& options, at::Tensor flat)
      : options_(options), layout_(SequenceLayout(options)), flat_(std::move(flat)) {}

  at::Tensor Parameter(const std::string& name) const {
    for (const ParameterShape& shape : layout_.shapes()) {
      if (shape.name != name) continue;
      return flat_.narrow(0, layout_.Offset(name), ParameterLayout::Elements(shape))
          .view(shape.shape);
    }
    return {};
  }

  // Returns the embedded tokens, [B, L, H].
  at::Tensor Embed(const at::Tensor& types, const at::Tensor& contexts) const {
    return at::linear(contexts, Parameter("embed.context.weight")) +
           at::embedding(Parameter("embed.type.weight"), types) +
           Parameter("embed.position.weight").narrow(0, 0, contexts.size(1));
  }
  // Returns the last hidden states of embedded tokens, [B, L, H].
  at::Tensor Encode(at::Tensor x) const {
    for (int32_t layer = 0; layer < options_.layers; ++layer) x = Layer(layer, x);
    return Norm(x, "norm");
  }
  // Return the queries of hidden states [..., H], the keys of candidates [..., C, F], and their
  // logits [..., C].
  at::Tensor Queries(const at::Tensor& hidden) const {
    return at::linear(hidden, Parameter("pointer.query.weight"), Parameter("pointer.query.bias"));
  }
  at::Tensor Keys(const at::Tensor& candidates) const {
    return at::linear(at::linear(candidates, Parameter("embed.context.weight")),
                      Parameter("pointer.key.weight"));
  }
  at::Tensor Logits(const at::Tensor& queries, const at::Tensor& keys) const {
    return at::matmul(queries, keys.transpose(-2, -1)) / std::sqrt(double{1} * options_.width);
  }
  // Returns the logits of the candidates at each position, [B, L, C].
  at::Tensor AllLogits(const TorchSequences& b) const {
    return Logits(Queries(Encode(Embed(b.types, b.contexts))), Keys(b.candidates));
  }

  // Returns the mean loss of the positions with a target.
  at::Tensor Loss(const TorchSequences& b, double smoothing) const {
    const at::Tensor logits = AllLogits(b);
    const at::Tensor has_target = b.targets.ge(0);
    const at::Tensor allowed = b.allowed.index({has_target});
    const at::Tensor log_probabilities =
        at::log_softmax(logits.index({has_target}).masked_fill(allowed.logical_not(), -1e30), 1);
    const at::Tensor of_targets =
        log_probabilities.gather(1, b.targets.index({has_target}).unsqueeze(1)).squeeze(1);
    const at::Tensor means =
        log_probabilities.masked_fill(allowed.logical_not(), 0).sum(1) / allowed.sum(1);
    return -((1 - smoothing) * of_targets + smoothing * means).mean();
  }

 private:
  at::Tensor Norm(const at::Tensor& x, const std::string& name) const {
    return at::layer_norm(x, {options_.width}, Parameter(name + ".scale"),
                          Parameter(name + ".shift"), 1e-5);
  }
  at::Tensor Linear(const at::Tensor& x, const std::string& name) const {
    return at::linear(x, Parameter(name + ".weight"), Parameter(name + ".bias"));
  }
  at::Tensor Layer(int32_t layer, at::Tensor x) const {
    const std::string name = Concat("encoder.layers.", layer);
    const int64_t batch = x.size(0);
    const int64_t length = x.size(1);
    const int64_t channels = options_.width / options_.heads;
    const auto parts = Linear(Norm(x, name + ".norm1"), name + ".qkv")
                           .view({batch, length, 3, options_.heads, channels})
                           .permute({2, 0, 3, 1, 4})
                           .unbind(0);
    const at::Tensor later = at::ones({length, length}, at::kBool).triu(1);
    const at::Tensor scores =
        (at::matmul(parts[0], parts[1].transpose(2, 3)) / std::sqrt(static_cast<double>(channels)))
            .masked_fill(later, -INFINITY);
    const at::Tensor attended =
        at::matmul(at::softmax(scores, -1), parts[2]).transpose(1, 2).reshape(x.sizes());
    x = x + Linear(attended, name + ".out");
    return x + Linear(at::relu(Linear(Norm(x, name + ".norm2"), name + ".feed1")), name + ".feed2");
  }

  const SequenceTransformerOptions options_;
  const ParameterLayout layout_;
  const at::Tensor flat_;
};

}  // namespace vrp::test
