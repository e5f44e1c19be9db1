#include "core/model/dispatch/prize_transformer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/isa.h"
#include "core/base/text.h"
#include "core/model/graph_transformer/encoder_parameters.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"

namespace vrp {
namespace {

constexpr int32_t kFeedForwardFactor = 4;
constexpr auto kFeatures = static_cast<int64_t>(kDispatchFeatureCount);
// Inputs of the embedding's product, padded to whole vectors. The column after the features is 1,
// so that the bias is a column of the weights.
constexpr int64_t kInputs = (kFeatures + 1 + 15) / 16 * 16;

EncoderShape ShapeOf(const PrizeTransformerOptions& options) {
  return {.hidden = options.width,
          .heads = options.heads,
          .feed_forward = kFeedForwardFactor * options.width,
          .layers = options.layers,
          .edge_features = kDispatchPairFeatureCount,
          .norm = NormKind::kFrozenBatch};
}

absl::Status CheckSizes(const PrizeTransformerOptions& options) {
  if (options.width < kWidthMultiple || options.width > kMaxTransformerHidden ||
      options.width % kWidthMultiple != 0) {
    return absl::InvalidArgumentError(Concat("width: got ", options.width,
                                             ", wanted a multiple of ", kWidthMultiple,
                                             ", at most ", kMaxTransformerHidden));
  }
  if (options.layers < 1 || options.layers > kMaxTransformerLayers) {
    return absl::InvalidArgumentError(
        Concat("layers: got ", options.layers, ", wanted 1 to ", kMaxTransformerLayers));
  }
  if (options.heads < 1 || options.heads > kMaxTransformerHeads ||
      options.width % options.heads != 0) {
    return absl::InvalidArgumentError(Concat("heads: got ", options.heads,
                                             ", wanted a divisor of width, ", options.width,
                                             ", at most ", kMaxTransformerHeads));
  }
  return absl::OkStatus();
}

// Grows `values` to at least `size` elements.
void Grow(std::vector<float>& values, int64_t size) {
  if (std::ssize(values) < size) values.resize(static_cast<size_t>(size));
}

}  // namespace

std::vector<ParameterShape> PrizeTransformerParameters(const PrizeTransformerOptions& options) {
  const int64_t width = options.width;
  std::vector<ParameterShape> shapes = {LinearWeight("embed.weight", width, kFeatures),
                                        LinearBias("embed.bias", width, kFeatures)};
  for (ParameterShape& shape : EncoderParameters(ShapeOf(options))) {
    shapes.push_back(std::move(shape));
  }
  shapes.push_back(LinearWeight("head.weight", 1, width));
  shapes.push_back({.name = "head.bias", .shape = {1}});
  return shapes;
}

absl::StatusOr<std::unique_ptr<PrizeTransformer>> PrizeTransformer::Create(
    const PrizeTransformerOptions& options, uint64_t seed) {
  if (absl::Status status = CheckSizes(options); !status.ok()) return status;
  const ParameterLayout layout(PrizeTransformerParameters(options));
  const FlatParameters initial(layout, seed);
  return std::unique_ptr<PrizeTransformer>(new PrizeTransformer(options, layout, initial));
}

PrizeTransformer::PrizeTransformer(const PrizeTransformerOptions& options,
                                   const ParameterLayout& layout, const FlatParameters& initial)
    : PrizeNetwork({initial.values().begin(), initial.values().end()}),
      width_(options.width),
      head_(layout.Offset("head.weight")),
      dense_(DenseKernelsFor<float>(BestIsa())),
      encoder_(MakeEncoder<float>(ShapeOf(options), EncoderOffsets(ShapeOf(options), layout),
                                  BestIsa())),
      embedding_(static_cast<size_t>(kInputs * width_)) {
  PrizeTransformer::WeightsChanged();
}

void PrizeTransformer::WeightsChanged() {
  const float* const weights = this->weights().data();
  encoder_->Pack(weights);
  // The embedding's weights come first.
  const float* const biases = weights + width_ * kFeatures;
  std::vector<float> padded(embedding_.size());  // [in, out]
  for (int64_t out = 0; out < width_; ++out) {
    for (int64_t in = 0; in < kFeatures; ++in) {
      padded[in * width_ + out] = weights[out * kFeatures + in];
    }
    padded[kFeatures * width_ + out] = biases[out];
  }
  dense_.pack(padded.data(), width_, 1, {0, kInputs, width_}, embedding_.data());
}

std::unique_ptr<PrizeTransformer::Pass> PrizeTransformer::Checkout() const {
  const absl::MutexLock lock(&mutex_);
  if (idle_.empty()) return std::make_unique<Pass>();
  std::unique_ptr<Pass> pass = std::move(idle_.back());
  idle_.pop_back();
  return pass;
}

void PrizeTransformer::Return(std::unique_ptr<Pass> pass) const {
  const absl::MutexLock lock(&mutex_);
  idle_.push_back(std::move(pass));
}

void PrizeTransformer::Encode(const DecisionFeatures& features, bool keep, Pass& pass) const {
  const int64_t count = std::ssize(features.requests);
  pass.first_rows.assign({0, static_cast<int32_t>(count)});
  pass.edges.assign({features.pairs.data()});
  Grow(pass.inputs, count * kInputs);
  Grow(pass.nodes, count * width_);
  for (int64_t i = 0; i < count; ++i) {
    const auto row = std::span(pass.inputs).subspan(static_cast<size_t>(i * kInputs), kInputs);
    Normalise(features.requests[i], row);
    row[kFeatures] = 1;
    std::fill(row.begin() + kFeatures + 1, row.end(), 0.0F);
  }
  dense_.multiply({pass.inputs.data(), kInputs}, embedding_.data(), nullptr,
                  {count, kInputs, width_}, {pass.nodes.data(), width_});
  Grow(pass.scratch, encoder_->ScratchSize(pass.first_rows));
  if (keep) Grow(pass.saved, encoder_->SavedSize(pass.first_rows));
  encoder_->Forward({pass.first_rows, pass.edges}, pass.nodes.data(),
                    keep ? pass.saved.data() : nullptr, pass.scratch.data());
}

std::vector<float> PrizeTransformer::Predict(const DecisionFeatures& features) const {
  const size_t count = features.requests.size();
  if (count == 0) return {};
  std::unique_ptr<Pass> pass = Checkout();
  Encode(features, false, *pass);
  const float* const head = Head();
  std::vector<float> outputs(count);
  for (size_t i = 0; i < count; ++i) {
    const float* const node = pass->nodes.data() + static_cast<int64_t>(i) * width_;
    outputs[i] = std::inner_product(head, head + width_, node, head[width_]);
  }
  Return(std::move(pass));
  return outputs;
}

void PrizeTransformer::AddGradient(const DecisionFeatures& features, std::span<const float> slopes,
                                   std::span<float> gradient) const {
  const int64_t count = std::ssize(features.requests);
  if (count == 0) return;
  std::unique_ptr<Pass> pass = Checkout();
  Encode(features, true, *pass);
  Grow(pass->d_nodes, count * width_);
  const float* const head = Head();
  float* const d_head = gradient.data() + head_;
  for (int64_t i = 0; i < count; ++i) {
    const float slope = slopes[static_cast<size_t>(i)];
    const float* const node = pass->nodes.data() + i * width_;
    float* const d_node = pass->d_nodes.data() + i * width_;
    for (int64_t k = 0; k < width_; ++k) {
      d_head[k] += slope * node[k];
      d_node[k] = slope * head[k];
    }
    d_head[width_] += slope;
  }
  encoder_->Backward({pass->first_rows, pass->edges}, pass->d_nodes.data(), pass->saved.data(),
                     pass->scratch.data(), gradient.data());
  AddEmbeddingGradient(count, *pass, gradient);
  Return(std::move(pass));
}

void PrizeTransformer::AddEmbeddingGradient(int64_t requests, Pass& pass,
                                            std::span<float> gradient) const {
  pass.d_embedding.assign(static_cast<size_t>(width_ * kInputs), 0.0F);
  dense_.add_transposed({pass.d_nodes.data(), width_}, {pass.inputs.data(), kInputs},
                        {width_, requests, kInputs}, {pass.d_embedding.data(), kInputs});
  float* const d_weights = gradient.data();
  float* const d_biases = d_weights + width_ * kFeatures;
  for (int64_t out = 0; out < width_; ++out) {
    const float* const from = pass.d_embedding.data() + out * kInputs;
    for (int64_t in = 0; in < kFeatures; ++in) d_weights[out * kFeatures + in] += from[in];
    d_biases[out] += from[kFeatures];
  }
}

}  // namespace vrp
