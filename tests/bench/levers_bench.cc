// Measures choices of the training engine alone, on one thread. Most compare our kernels with
// LibTorch's operators. Prints one JSON line per choice and size (see lever.h).
// tests/bench/levers runs this program. MeasureOnceOnly describes the argument `once`.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/dense/dense.h"
#include "core/kernels/encoder/encoder.h"
#include "core/model/graph_transformer/encoder_parameters.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/train/optimiser/adamw.h"
#include "tests/bench/lever.h"
#include "tests/bench/levers_decoder.h"
#include "tests/bench/levers_loader.h"

namespace vrp {
namespace {

// Measures the feed-forward product of `rows` nodes, 128 to 512, with weights packed beforehand.
void MeasureProduct(int64_t rows) {
  const DenseShape shape{.rows = rows, .inner = 128, .columns = 512};
  const DenseKernels<float>& kernels = DenseKernelsFor<float>(BestIsa());
  const at::Tensor a = at::rand({shape.rows, shape.inner});
  const at::Tensor b = at::rand({shape.inner, shape.columns});
  std::vector<float> packed(static_cast<size_t>(shape.inner * shape.columns));
  kernels.pack(b.data_ptr<float>(), shape.columns, 1, shape, packed.data());
  at::Tensor ours = at::empty({shape.rows, shape.columns});
  at::Tensor theirs = at::empty_like(ours);
  const int64_t calls = std::max<int64_t>(1, 2048 / rows);  // a few milliseconds in total
  const auto repeat = [calls](const auto& call) {
    return [calls, call] {
      for (int64_t k = 0; k < calls; ++k) call();
    };
  };
  MeasureLever({"product",
                std::to_string(calls) + " of " + std::to_string(rows) + " x 128 x 512",
                {"our kernel", repeat([&] {
                   kernels.multiply({a.data_ptr<float>(), shape.inner}, packed.data(), nullptr,
                                    shape, {ours.data_ptr<float>(), shape.columns});
                 })},
                {"torch mm (MKL)", repeat([&] { at::mm_out(theirs, a, b); })}});
}

// Returns softmax(q k^T / sqrt(D)) v for q, k, v [B, M, N, D].
at::Tensor ExplicitAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  return at::matmul(at::softmax(at::matmul(q, k.transpose(2, 3)) * scale, -1), v);
}

// An encoder layer made of torch's operators, with its own random weights.
class TorchLayer {
 public:
  TorchLayer(int64_t batch, int64_t nodes, const GraphTransformerOptions& options)
      : options_(options), input_(RandomTensor({batch, nodes, options.hidden})) {}

  void Differentiate() const {
    const int64_t width = options_.hidden / options_.heads;
    const auto parts = at::linear(input_, qkv_, qkv_bias_)
                           .view({input_.size(0), input_.size(1), 3, options_.heads, width})
                           .permute({2, 0, 3, 1, 4})
                           .unbind(0);
    const at::Tensor heads = ExplicitAttention(parts[0], parts[1], parts[2]);
    const at::Tensor mixed = heads.transpose(1, 2).reshape(input_.sizes());
    const at::Tensor attended = Norm(input_ + at::linear(mixed, out_, bias_));
    const at::Tensor wide = at::relu(at::linear(attended, feed1_, feed1_bias_));
    Norm(attended + at::linear(wide, feed2_, bias_)).sum().mul(1e-3).backward();
  }

 private:
  static at::Tensor RandomTensor(at::IntArrayRef sizes) {
    return (0.1 * at::randn(sizes)).set_requires_grad(true);
  }
  at::Tensor Norm(const at::Tensor& x) const {
    return at::instance_norm(x.transpose(1, 2), scale_, bias_, {}, {}, true, 0.1, 1e-5, false)
        .transpose(1, 2);
  }

  const GraphTransformerOptions options_;
  const at::Tensor input_;
  const at::Tensor qkv_ = RandomTensor({int64_t{3} * options_.hidden, options_.hidden});
  const at::Tensor qkv_bias_ = RandomTensor({int64_t{3} * options_.hidden});
  const at::Tensor out_ = RandomTensor({options_.hidden, options_.hidden});
  const at::Tensor feed1_ = RandomTensor({options_.feed_forward, options_.hidden});
  const at::Tensor feed1_bias_ = RandomTensor({options_.feed_forward});
  const at::Tensor feed2_ = RandomTensor({options_.hidden, options_.feed_forward});
  const at::Tensor scale_ = RandomTensor({options_.hidden});
  const at::Tensor bias_ = RandomTensor({options_.hidden});
};

// Measures an encoder layer of `batch` instances, forward and backward. Compares eight instances at
// a time, which fit the caches, with the whole batch operator by operator. With a small
// `feed_forward`, measures mostly attention and its products.
void MeasureLayer(const std::string& part, int32_t batch, int32_t nodes, int32_t feed_forward) {
  constexpr int32_t kGroup = 8;
  GraphTransformerOptions options;
  options.feed_forward = feed_forward;
  options.layers = 1;
  options.edge_bias = false;
  const ParameterLayout layout = GraphTransformerLayout(options);
  FlatParameters parameters(layout, 1);
  parameters.TrackGradient();
  const auto encoder = MakeEncoder<float>(
      EncoderShapeOf(options), EncoderOffsets(EncoderShapeOf(options), layout), BestIsa());
  encoder->Pack(parameters.values().data());
  std::vector<int32_t> first_rows;
  for (int32_t b = 0; b <= kGroup; ++b) first_rows.push_back(b * nodes);
  const at::Tensor x = at::randn({batch, nodes, options.hidden});
  std::vector<float> rows(static_cast<size_t>(kGroup * nodes * options.hidden));
  std::vector<float> saved(static_cast<size_t>(encoder->SavedSize(first_rows)));
  std::vector<float> scratch(static_cast<size_t>(encoder->ScratchSize(first_rows)));
  const auto ours = [&] {
    for (int32_t b = 0; b < batch; b += kGroup) {
      std::copy_n(x.const_data_ptr<float>() + int64_t{b} * nodes * options.hidden, rows.size(),
                  rows.data());
      encoder->Forward({first_rows, {}}, rows.data(), saved.data(), scratch.data());
      std::fill(rows.begin(), rows.end(), 1e-3F);
      encoder->Backward({first_rows, {}}, rows.data(), saved.data(), scratch.data(),
                        parameters.gradient().data());
    }
  };
  const TorchLayer theirs(batch, nodes, options);
  MeasureLever({part,
                std::to_string(batch) + " x " + std::to_string(nodes) + " nodes, a layer",
                {"in the caches, fused", ours},
                {"torch, explicit", [&] { theirs.Differentiate(); }}});
}

// Measures bf16 attention forward and backward in torch. The result is the reason why our torch
// engine uses explicit attention.
void MeasureSdpa(int64_t batch, int64_t nodes) {
  const auto make = [&] {
    return at::rand({batch, 8, nodes, 16}).to(at::kBFloat16).set_requires_grad(true);
  };
  const at::Tensor q = make(), k = make(), v = make();
  const auto differentiate = [](const at::Tensor& out) { out.sum().backward(); };
  MeasureLever(
      {"attention, bf16",
       std::to_string(batch) + " x " + std::to_string(nodes) + " nodes",
       {"torch, explicit", [&] { differentiate(ExplicitAttention(q, k, v)); }},
       {"torch's own SDPA", [&] { differentiate(at::scaled_dot_product_attention(q, k, v)); }}});
}

// Measures clipping, the optimiser's step and resetting the gradient, over all parameters of the
// network.
void MeasureFlatBuffer() {
  const ParameterLayout layout = GraphTransformerLayout(GraphTransformerOptions{});
  FlatParameters flat(layout, 1);
  flat.TrackGradient();
  AdamW optimiser(layout, {});
  std::vector<at::Tensor> tensors, gradients, means, squares;
  for (const ParameterShape& shape : layout.shapes()) {
    tensors.push_back(at::rand(shape.shape));
    gradients.push_back(at::full(shape.shape, 1e-3));
    means.push_back(at::zeros(shape.shape));
    squares.push_back(at::zeros(shape.shape));
  }
  const auto ours = [&] {
    const double norm = GradientNorm(flat.gradient(), nullptr);
    optimiser.Step(flat, 1e-4, norm > 1 ? 1 / norm : 1, nullptr);
    std::fill(flat.gradient().begin(), flat.gradient().end(), 1e-3F);
  };
  const auto theirs = [&] {
    std::vector<at::Tensor> norms;
    for (const at::Tensor& gradient : gradients) norms.push_back(gradient.norm());
    const auto norm = at::stack(norms).norm().item<double>();
    for (size_t k = 0; k < tensors.size(); ++k) {
      if (norm > 1) gradients[k].mul_(1 / norm);
      means[k].lerp_(gradients[k], 0.1);
      squares[k].mul_(0.999).addcmul_(gradients[k], gradients[k], 0.001);
      tensors[k].addcdiv_(means[k], squares[k].sqrt().add_(1e-8), -1e-4);
      gradients[k].fill_(1e-3);
    }
  };
  MeasureLever({"flat buffer",
                std::to_string(layout.size()) + " parameters",
                {"clip and AdamW, one span", ours},
                {"torch, a tensor at a time", theirs}});
}

int Main() {
  at::set_num_threads(1);
  for (const int64_t rows : {51, 408}) MeasureProduct(rows);
  for (const int32_t nodes : {21, 51}) MeasureLayer("attention", 64, nodes, 16);
  for (const int32_t nodes : {21, 51}) MeasureLayer("encoder layer", 64, nodes, 512);
  if (__builtin_cpu_supports("avx512bf16")) MeasureSdpa(64, 51);
  MeasureSecondPass();
  MeasureRollout();
  MeasureFlatBuffer();
  MeasureLoader();
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "once") vrp::MeasureOnceOnly();
  return vrp::Main();
}
