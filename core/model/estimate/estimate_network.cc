#include "core/model/estimate/estimate_network.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/base/isa.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/graph_transformer/encoder_parameters.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"

namespace vrp {
namespace {

constexpr int32_t kFeedForwardFactor = 4;
constexpr int64_t kInputs = kEstimateNodeInputs;
constexpr int64_t kFeatures = kInputs - 1;

EncoderShape EstimateEncoderShape(const EstimateNetworkOptions& options) {
  return {.hidden = options.width,
          .heads = options.heads,
          .feed_forward = kFeedForwardFactor * options.width,
          .layers = options.layers,
          .edge_features = kEstimatePairFeatures,
          .norm = NormKind::kInstance};
}

// Returns what the encoder gives to the head: the customers' mean and the depot.
int64_t GraphOutputs(const EstimateNetworkOptions& options) {
  return options.layers > 0 ? 2 * int64_t{options.width} : 0;
}

// Returns null without layers.
template <typename T>
std::unique_ptr<Encoder<T>> MakeEstimateEncoder(const EstimateNetworkOptions& options,
                                                const ParameterLayout& layout) {
  if (options.layers == 0) return nullptr;
  const EncoderShape shape = EstimateEncoderShape(options);
  return MakeEncoder<T>(shape, EncoderOffsets(shape, layout), BestIsa());
}

absl::Status CheckSize(std::string_view name, int32_t value, int32_t low, int32_t high,
                       int32_t multiple) {
  if (value >= low && value <= high && value % multiple == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat(name, ": got ", value, ", wanted ", low, " to ", high,
             multiple > 1 ? Concat(", a multiple of ", multiple) : std::string()));
}

template <typename T>
void GrowBuffer(std::vector<T>& values, int64_t size) {
  if (std::ssize(values) < size) values.resize(static_cast<size_t>(size));
}

// Adds weight [rows, columns] times `x` to `y`.
template <typename T>
void AddProduct(const T* weight, int64_t rows, int64_t columns, const T* x, T* y) {
  constexpr int64_t kLanes =
      8;  // sums beside each other, as the compiler must not change the order
  for (int64_t r = 0; r < rows; ++r) {
    const T* const row = weight + r * columns;
    T sums[kLanes] = {};
    int64_t c = 0;
    for (; c + kLanes <= columns; c += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) sums[k] += row[c + k] * x[c + k];
    }
    for (; c < columns; ++c) sums[0] += row[c] * x[c];
    for (const T sum : sums) y[r] += sum;
  }
}

}  // namespace

absl::Status CheckEstimateSizes(const EstimateNetworkOptions& options) {
  VRP_RETURN_IF_ERROR(
      CheckSize("width", options.width, kWidthMultiple, kMaxTransformerHidden, kWidthMultiple));
  VRP_RETURN_IF_ERROR(CheckSize("layers", options.layers, 0, kMaxTransformerLayers, 1));
  VRP_RETURN_IF_ERROR(CheckSize("heads", options.heads, 1, kMaxTransformerHeads, 1));
  if (options.width % options.heads != 0) {
    return absl::InvalidArgumentError(
        Concat("heads: got ", options.heads, ", wanted a divisor of width, ", options.width));
  }
  return CheckSize("hidden", options.hidden, 1, kMaxTransformerFeedForward, 1);
}

std::vector<ParameterShape> EstimateNetworkParameters(const EstimateNetworkOptions& options) {
  const int64_t width = options.width;
  const int64_t pooled = GraphOutputs(options) + kEstimateGlobalCount;
  std::vector<ParameterShape> shapes;
  if (options.layers > 0) {
    shapes = {LinearWeight("embed.weight", width, kFeatures),
              LinearBias("embed.bias", width, kFeatures)};
    for (ParameterShape& shape : EncoderParameters(EstimateEncoderShape(options))) {
      shapes.push_back(std::move(shape));
    }
  }
  shapes.push_back(LinearWeight("head.hidden.weight", options.hidden, pooled));
  shapes.push_back(LinearBias("head.hidden.bias", options.hidden, pooled));
  // The outputs begin as 0, the training's mean.
  shapes.push_back({.name = "head.out.weight", .shape = {kHiddenOutputs, options.hidden}});
  shapes.push_back({.name = "head.out.bias", .shape = {kEstimateOutputs}});
  shapes.push_back(
      {.name = "head.linear.weight", .shape = {kEstimateOutputs, kEstimateGlobalCount}});
  return shapes;
}

template <typename T>
absl::StatusOr<std::unique_ptr<EstimateNetwork<T>>> EstimateNetwork<T>::Create(
    const EstimateNetworkOptions& options) {
  VRP_RETURN_IF_ERROR(CheckEstimateSizes(options));
  return std::unique_ptr<EstimateNetwork>(new EstimateNetwork(options));
}

template <typename T>
EstimateNetwork<T>::EstimateNetwork(const EstimateNetworkOptions& options)
    : options_(options),
      layout_(EstimateNetworkParameters(options)),
      width_(options.width),
      graph_(GraphOutputs(options)),
      pooled_(graph_ + kEstimateGlobalCount),
      dense_(DenseKernelsFor<T>(BestIsa())),
      encoder_(MakeEstimateEncoder<T>(options, layout_)),
      hidden_weight_(layout_.Offset("head.hidden.weight")),
      hidden_bias_(layout_.Offset("head.hidden.bias")),
      out_weight_(layout_.Offset("head.out.weight")),
      out_bias_(layout_.Offset("head.out.bias")),
      linear_weight_(layout_.Offset("head.linear.weight")),
      embedding_(static_cast<size_t>(kInputs * width_)) {}

template <typename T>
void EstimateNetwork<T>::SetParameters(std::span<const T> parameters) {
  parameters_.assign(parameters.begin(), parameters.begin() + layout_.size());
  if (encoder_ == nullptr) return;
  encoder_->Pack(parameters_.data());
  // The embedding's weights come first.
  std::vector<T> padded(embedding_.size());  // [in, out]
  for (int64_t out = 0; out < width_; ++out) {
    for (int64_t in = 0; in < kFeatures; ++in) {
      padded[in * width_ + out] = parameters_[out * kFeatures + in];
    }
    padded[kFeatures * width_ + out] = parameters_[width_ * kFeatures + out];
  }
  dense_.pack(padded.data(), width_, 1, {0, kInputs, width_}, embedding_.data());
}

template <typename T>
const T* EstimateNetwork<T>::Inputs(const EstimateFeatures& features,
                                    const EstimatePass<T>& pass) const {
  if constexpr (std::is_same_v<T, float>) {
    return features.node_features().data();
  } else {
    return pass.inputs.data();
  }
}

template <typename T>
void EstimateNetwork<T>::Encode(const EstimateFeatures& features, bool keep,
                                EstimatePass<T>& pass) const {
  const int64_t count = features.nodes();
  pass.count = features.nodes();
  pass.first_rows.assign({0, features.nodes()});
  if constexpr (std::is_same_v<T, float>) {
    pass.edges.assign({features.pair_features().data()});
  } else {
    pass.inputs.assign(features.node_features().begin(), features.node_features().end());
    pass.pairs.assign(features.pair_features().begin(), features.pair_features().end());
    pass.edges.assign({pass.pairs.data()});
  }
  GrowBuffer(pass.nodes, count * width_);
  dense_.multiply({Inputs(features, pass), kInputs}, embedding_.data(), nullptr,
                  {count, kInputs, width_}, {pass.nodes.data(), width_});
  GrowBuffer(pass.scratch, encoder_->ScratchSize(pass.first_rows));
  if (keep) GrowBuffer(pass.saved, encoder_->SavedSize(pass.first_rows));
  encoder_->Forward({pass.first_rows, pass.edges}, pass.nodes.data(),
                    keep ? pass.saved.data() : nullptr, pass.scratch.data());
}

template <typename T>
void EstimateNetwork<T>::Pool(EstimatePass<T>& pass) const {
  T* const pooled = pass.pooled.data();
  for (int64_t i = 1; i < pass.count; ++i) {
    const T* const node = pass.nodes.data() + i * width_;
    for (int64_t k = 0; k < width_; ++k) pooled[k] += node[k];
  }
  const T share = T{1} / static_cast<T>(pass.count - 1);
  for (int64_t k = 0; k < width_; ++k) pooled[k] *= share;
  std::copy_n(pass.nodes.data(), width_, pooled + width_);
}

template <typename T>
EstimateOutputs<T> EstimateNetwork<T>::Forward(const EstimateFeatures& features,
                                               std::span<const float, kEstimateGlobalCount> globals,
                                               bool keep, EstimatePass<T>& pass) const {
  pass.pooled.assign(static_cast<size_t>(pooled_), 0);
  T* const pooled = pass.pooled.data();
  if (encoder_ != nullptr) {
    Encode(features, keep, pass);
    Pool(pass);
  }
  std::copy(globals.begin(), globals.end(), pooled + graph_);
  const T* const parameters = parameters_.data();
  pass.hidden.assign(parameters + hidden_bias_, parameters + hidden_bias_ + options_.hidden);
  AddProduct(parameters + hidden_weight_, options_.hidden, pooled_, pooled, pass.hidden.data());
  for (T& value : pass.hidden) value = std::max(value, T{0});
  EstimateOutputs<T> outputs;
  std::copy_n(parameters + out_bias_, kEstimateOutputs, outputs.begin());
  AddProduct(parameters + out_weight_, kHiddenOutputs, options_.hidden, pass.hidden.data(),
             outputs.data());
  AddProduct(parameters + linear_weight_, kEstimateOutputs, kEstimateGlobalCount, pooled + graph_,
             outputs.data());
  return outputs;
}

template <typename T>
void EstimateNetwork<T>::AddHeadGradient(const EstimateOutputs<T>& slopes, EstimatePass<T>& pass,
                                         std::span<T> gradient) const {
  const int64_t hidden = options_.hidden;
  const T* const parameters = parameters_.data();
  const T* const globals = pass.pooled.data() + graph_;
  pass.d_pooled.assign(static_cast<size_t>(pooled_), 0);
  for (int64_t o = 0; o < kEstimateOutputs; ++o) {
    gradient[out_bias_ + o] += slopes[o];
    T* const d_linear = &gradient[linear_weight_ + o * kEstimateGlobalCount];
    for (int64_t g = 0; g < kEstimateGlobalCount; ++g) d_linear[g] += slopes[o] * globals[g];
    if (o >= kHiddenOutputs) continue;
    T* const d_out = &gradient[out_weight_ + o * hidden];
    for (int64_t d = 0; d < hidden; ++d) d_out[d] += slopes[o] * pass.hidden[d];
  }
  for (int64_t d = 0; d < hidden; ++d) {
    if (!(pass.hidden[d] > 0)) continue;
    T slope = 0;
    for (int64_t o = 0; o < kHiddenOutputs; ++o) {
      slope += slopes[o] * parameters[out_weight_ + o * hidden + d];
    }
    gradient[hidden_bias_ + d] += slope;
    const T* const weight = parameters + hidden_weight_ + d * pooled_;
    T* const d_weight = &gradient[hidden_weight_ + d * pooled_];
    for (int64_t k = 0; k < pooled_; ++k) {
      d_weight[k] += slope * pass.pooled[k];
      pass.d_pooled[k] += slope * weight[k];
    }
  }
}

template <typename T>
void EstimateNetwork<T>::AddGradient(const EstimateFeatures& features,
                                     const EstimateOutputs<T>& slopes, EstimatePass<T>& pass,
                                     std::span<T> gradient) const {
  AddHeadGradient(slopes, pass, gradient);
  if (encoder_ == nullptr) return;
  GrowBuffer(pass.d_nodes, pass.count * width_);
  T* const d_nodes = pass.d_nodes.data();
  std::copy_n(pass.d_pooled.data() + width_, width_, d_nodes);
  const T share = T{1} / static_cast<T>(pass.count - 1);
  for (int64_t i = 1; i < pass.count; ++i) {
    for (int64_t k = 0; k < width_; ++k) d_nodes[i * width_ + k] = share * pass.d_pooled[k];
  }
  encoder_->Backward({pass.first_rows, pass.edges}, d_nodes, pass.saved.data(), pass.scratch.data(),
                     gradient.data());
  AddEmbeddingGradient(Inputs(features, pass), pass, gradient);
}

template <typename T>
void EstimateNetwork<T>::AddEmbeddingGradient(const T* inputs, EstimatePass<T>& pass,
                                              std::span<T> gradient) const {
  pass.d_embedding.assign(static_cast<size_t>(width_ * kInputs), 0);
  dense_.add_transposed({pass.d_nodes.data(), width_}, {inputs, kInputs},
                        {width_, pass.count, kInputs}, {pass.d_embedding.data(), kInputs});
  T* const d_weights = gradient.data();
  T* const d_biases = d_weights + width_ * kFeatures;
  for (int64_t out = 0; out < width_; ++out) {
    const T* const from = pass.d_embedding.data() + out * kInputs;
    for (int64_t in = 0; in < kFeatures; ++in) d_weights[out * kFeatures + in] += from[in];
    d_biases[out] += from[kFeatures];
  }
}

template class EstimateNetwork<float>;
template class EstimateNetwork<double>;

}  // namespace vrp
