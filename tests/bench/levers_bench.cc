// Parts of a training step, each by our kernels and by LibTorch's operators: what one choice is
// worth by itself. Prints a JSON line a part:
//   {"part": ..., "size": ..., "on": "what ours is", "on_ms": ..., "off": "the other", "off_ms":
//   ...}
// Sides are timed in turns on one thread; the figures are the fastest of all turns, since other
// load on the machine only adds. tests/bench/levers runs it.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "core/kernels/dense.h"
#include "core/model/graph_transformer_layout.h"
#include "core/train/adamw.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

constexpr int kTurns = 15;

struct Side {
  std::string name;
  std::function<void()> run;
  double least = std::numeric_limits<double>::infinity();
};

void Compare(const std::string& part, const std::string& size, Side on, Side off) {
  on.run();
  off.run();
  for (int turn = 0; turn < kTurns; ++turn) {
    for (Side* side : {&on, &off}) {
      const absl::Time begin = absl::Now();
      side->run();
      side->least = std::min(side->least, absl::ToDoubleMilliseconds(absl::Now() - begin));
    }
  }
  std::cout << nlohmann::ordered_json({{"part", part},
                                       {"size", size},
                                       {"on", on.name},
                                       {"on_ms", on.least},
                                       {"off", off.name},
                                       {"off_ms", off.least}})
            << std::endl;
}

// The feed-forward product of `rows` nodes, 128 to 512, weights laid out beforehand.
void CompareProducts(int64_t rows) {
  const DenseShape shape{.rows = rows, .inner = 128, .columns = 512};
  const DenseKernels<float>& kernels = DenseKernelsFor<float>(BestIsa());
  const at::Tensor a = at::rand({shape.rows, shape.inner});
  const at::Tensor b = at::rand({shape.inner, shape.columns});
  const at::Tensor c = at::empty({shape.rows, shape.columns});
  std::vector<float> packed(static_cast<size_t>(shape.inner * shape.columns));
  kernels.pack(b.data_ptr<float>(), shape.columns, 1, shape, packed.data());
  at::Tensor to = at::empty_like(c);
  Compare("product", std::to_string(rows) + " x 128 x 512",
          {.name = "our kernel",
           .run =
               [&] {
                 kernels.multiply({a.data_ptr<float>(), shape.inner}, packed.data(), nullptr, shape,
                                  {c.data_ptr<float>(), shape.columns});
               }},
          {.name = "torch mm", .run = [&] { at::mm_out(to, a, b); }});
}

// Attention of `batch` instances, forward and backward, in torch alone: why SDPA is not used.
void CompareAttention(int64_t batch, int64_t nodes, at::ScalarType type) {
  const auto make = [&] {
    return at::rand({batch, 8, nodes, 16}).to(type).set_requires_grad(true);
  };
  const at::Tensor q = make();
  const at::Tensor k = make();
  const at::Tensor v = make();
  const auto differentiate = [](const at::Tensor& out) { out.sum().backward(); };
  Compare(type == at::kBFloat16 ? "attention in bf16" : "attention",
          std::to_string(batch) + " x " + std::to_string(nodes) + " nodes",
          {.name = "torch explicit",
           .run =
               [&] {
                 const at::Tensor scores = at::softmax(at::matmul(q, k.transpose(2, 3)) / 4, -1);
                 differentiate(at::matmul(scores, v));
               }},
          {.name = "torch SDPA",
           .run = [&] { differentiate(at::scaled_dot_product_attention(q, k, v)); }});
}

// One step over all parameters of the network.
void CompareOptimisers() {
  const ParameterLayout layout = GraphTransformerLayout(GraphTransformerOptions{});
  FlatParameters flat(layout, 1);
  flat.TrackGradient();
  std::fill(flat.gradient().begin(), flat.gradient().end(), 1e-3F);
  AdamW optimiser(layout, {});
  std::vector<at::Tensor> tensors;
  std::vector<at::Tensor> gradients;
  std::vector<at::Tensor> means;
  std::vector<at::Tensor> squares;
  for (const ParameterShape& shape : layout.shapes()) {
    tensors.push_back(at::rand(shape.shape));
    gradients.push_back(at::full(shape.shape, 1e-3));
    means.push_back(at::zeros(shape.shape));
    squares.push_back(at::zeros(shape.shape));
  }
  Compare(
      "optimiser", std::to_string(layout.size()) + " parameters",
      {.name = "AdamW on one flat span", .run = [&] { optimiser.Step(flat, 1e-4, 1, nullptr); }},
      {.name = "Adam, a tensor at a time", .run = [&] {
         for (size_t k = 0; k < tensors.size(); ++k) {
           means[k].lerp_(gradients[k], 0.1);
           squares[k].mul_(0.999).addcmul_(gradients[k], gradients[k], 0.001);
           tensors[k].addcdiv_(means[k], squares[k].sqrt().add_(1e-8), -1e-4);
         }
       }});
}

int Main() {
  at::set_num_threads(1);
  for (const int64_t rows : {21, 51, 1024}) CompareProducts(rows);
  for (const int64_t nodes : {21, 51}) {
    CompareAttention(128, nodes, at::kFloat);
    CompareAttention(128, nodes, at::kBFloat16);
  }
  CompareOptimisers();
  return 0;
}

}  // namespace
}  // namespace vrp

int main() { return vrp::Main(); }
