#include "core/model/graph_transformer/graph_transformer_pass.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/model/graph_transformer/encoder_parameters.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"

namespace vrp {
namespace {

// Multiple to which the embedding's inputs are padded.
constexpr int64_t kVector = 16;

bool HasTour(const NetworkBatch& batch, int32_t first, int32_t count) {
  return std::any_of(batch.problems.begin() + first, batch.problems.begin() + first + count,
                     [](const RoutingProblem& problem) { return problem.tsp; });
}

}  // namespace

template <typename T>
GraphTransformerPass<T>::GraphTransformerPass(const GraphTransformerOptions& options, Isa isa)
    : options_(options),
      layout_(GraphTransformerLayout(options)),
      dense_(DenseKernelsFor<T>(isa)),
      encoder_(MakeEncoder<T>(EncoderShapeOf(options),
                              EncoderOffsets(EncoderShapeOf(options), layout_), isa)),
      hidden_(options.hidden),
      inputs_(InputsOf(GraphTransformerArchitecture(), options.inputs)),
      embedded_((inputs_.width() + 1 + kVector - 1) / kVector * kVector) {
  if constexpr (std::is_same_v<T, float>) {
    if (UsableBf16() == Bf16::kNone) return;
    bf16_encoder_ = MakeBf16Encoder(EncoderShapeOf(options),
                                    EncoderOffsets(EncoderShapeOf(options), layout_), UsableBf16());
    bf16_projections_ = std::make_unique<Bf16Projections>(4 * hidden_, hidden_, UsableBf16());
  }
}

template <typename T>
void GraphTransformerPass<T>::PackEncoder(const T* parameters, bool bf16) const {
  const bool uses_bf16 = bf16 && HasBf16();
  const absl::MutexLock lock(&packing_);
  bool& packed = uses_bf16 ? bf16_packed_ : packed_;
  if (packed) return;
  (uses_bf16 ? bf16_encoder_ : encoder_)->Pack(parameters);
  if constexpr (std::is_same_v<T, float>) {
    if (uses_bf16) bf16_projections_->Pack(folded_.data());
  }
  packed = true;
}

template <typename T>
void GraphTransformerPass<T>::Pack(const T* parameters) {
  {
    const absl::MutexLock lock(&packing_);
    packed_ = bf16_packed_ = false;
  }
  PackEmbedding(parameters);
  PackProjections(parameters);
  graph_.resize(static_cast<size_t>(hidden_ * hidden_));
  graph_back_.resize(graph_.size());
  const T* const graph = parameters + layout_.Offset("decoder.graph.weight");
  const DenseShape square{0, hidden_, hidden_};
  dense_.pack(graph, 1, hidden_, square, graph_.data());
  dense_.pack(graph, hidden_, 1, square, graph_back_.data());
  const T* const shares = parameters + layout_.Offset("decoder.shares.weight");
  shares_.assign(shares, shares + kContextShares * hidden_);
}

template <typename T>
void GraphTransformerPass<T>::PackEmbedding(const T* parameters) {
  const auto pack = [&](const char* weight, const char* bias, std::vector<T>& packed) {
    const T* const from = parameters + layout_.Offset(weight);
    const T* const ones = parameters + layout_.Offset(bias);
    std::vector<T> padded(static_cast<size_t>(embedded_ * hidden_), T{0});  // [in, out]
    const int64_t width = inputs_.width();
    for (int64_t out = 0; out < hidden_; ++out) {
      for (int64_t in = 0; in < width; ++in) {
        padded[in * hidden_ + out] = from[out * width + in];
      }
      padded[width * hidden_ + out] = ones[out];
    }
    packed.resize(padded.size());
    dense_.pack(padded.data(), hidden_, 1, {0, embedded_, hidden_}, packed.data());
  };
  pack("embed.node.weight", "embed.node.bias", embed_node_);
  pack("embed.depot.weight", "embed.depot.bias", embed_depot_);
}

template <typename T>
void GraphTransformerPass<T>::PackProjections(const T* parameters) {
  const int64_t size = hidden_ * hidden_;
  const T* const project = parameters + layout_.Offset("decoder.project.weight");
  const T* const out = parameters + layout_.Offset("decoder.out.weight");
  const T* const last = parameters + layout_.Offset("decoder.last.weight");
  const T* const first = parameters + layout_.Offset("decoder.first.weight");
  folded_.assign(static_cast<size_t>(4 * size), T{0});
  std::copy_n(project, 2 * size, folded_.begin());
  dense_.add_transposed({out, hidden_}, {project + 2 * size, hidden_}, {hidden_, hidden_, hidden_},
                        {folded_.data() + 2 * size, hidden_});
  std::copy_n(last, size, folded_.begin() + 3 * size);
  projection_.resize(static_cast<size_t>(4 * size));
  first_.resize(static_cast<size_t>(size));
  projection_back_.resize(static_cast<size_t>(4 * size));
  first_back_.resize(static_cast<size_t>(size));
  dense_.pack(folded_.data(), 1, hidden_, {0, hidden_, 4 * hidden_}, projection_.data());
  dense_.pack(first, 1, hidden_, {0, hidden_, hidden_}, first_.data());
  dense_.pack(folded_.data(), hidden_, 1, {0, 4 * hidden_, hidden_}, projection_back_.data());
  dense_.pack(first, hidden_, 1, {0, hidden_, hidden_}, first_back_.data());
  const T* const placeholder = parameters + layout_.Offset("decoder.placeholder");
  start_query_.assign(static_cast<size_t>(hidden_), T{0});
  for (int64_t i = 0; i < hidden_; ++i) {
    for (int64_t k = 0; k < hidden_; ++k) {
      start_query_[i] += first[i * hidden_ + k] * placeholder[k] +
                         last[i * hidden_ + k] * placeholder[hidden_ + k];
    }
  }
}

template <typename T>
void GraphTransformerPass<T>::Encode(const NetworkBatch& batch, int32_t first, int32_t count,
                                     bool keep, GraphTransformerGroup<T>& group) const {
  group.first = first;
  group.count = count;
  group.columns = (HasTour(batch, first, count) ? 5 : 4) * hidden_;
  group.first_rows.clear();
  for (int32_t b = first; b <= first + count; ++b) {
    group.first_rows.push_back(batch.first_rows[b] - batch.first_rows[first]);
  }
  if (options_.edge_bias) FillEdges(batch, group);
  Embed(batch, group);
  const Encoder<T>& encoder = EncoderOf(group);
  GrowTo(group.scratch, encoder.ScratchSize(group.first_rows));
  if (keep) GrowTo(group.saved, encoder.SavedSize(group.first_rows));
  encoder.Forward({group.first_rows, group.edge_starts}, group.nodes.data(),
                  keep ? group.saved.data() : nullptr, group.scratch.data());
  Project(group);
}

template <typename T>
void GraphTransformerPass<T>::FillEdges(const NetworkBatch& batch,
                                        GraphTransformerGroup<T>& group) const {
  int64_t size = 0;
  for (int32_t b = 0; b < group.count; ++b) {
    const int64_t nodes = batch.nodes(group.first + b);
    size += kEdgeFeatures * nodes * nodes;
  }
  GrowTo(group.edges, size);
  group.edge_starts.clear();
  T* next = group.edges.data();
  for (int32_t b = 0; b < group.count; ++b) {
    const RoutingProblem& problem = batch.problems[group.first + b];
    const int64_t nodes = problem.nodes;
    GrowTo(group.distances, nodes * nodes);
    const T scale = static_cast<T>(1 / problem.scale);
    T* at = group.distances.data();
    if (problem.distances != nullptr) {
      for (int64_t i = 0; i < nodes * nodes; ++i) {
        at[i] = static_cast<T>(problem.distances[i]) * scale;
      }
    } else {
      // The network reads Euclidean distances, even if the metric rounds them.
      const float* const features =
          batch.features.data() + int64_t{batch.first_rows[group.first + b]} * batch.columns;
      for (int64_t i = 0; i < nodes; ++i) {
        const T x = features[i * batch.columns];
        const T y = features[i * batch.columns + 1];
        for (int64_t j = 0; j < nodes; ++j, ++at) {
          const T dx = features[j * batch.columns] - x;
          const T dy = features[j * batch.columns + 1] - y;
          *at = std::sqrt(dx * dx + dy * dy);
        }
      }
    }
    dense_.edge_features(group.distances.data(), nodes, next);
    group.edge_starts.push_back(next);
    next += kEdgeFeatures * nodes * nodes;
  }
}

template <typename T>
void GraphTransformerPass<T>::Embed(const NetworkBatch& batch,
                                    GraphTransformerGroup<T>& group) const {
  const int64_t rows = group.first_rows.back();
  GrowTo(group.features, rows * embedded_);
  GrowTo(group.nodes, rows * hidden_);
  const float* from =
      batch.features.data() + int64_t{batch.first_rows[group.first]} * batch.columns;
  for (int64_t row = 0; row < rows; ++row, from += batch.columns) {
    T* const to = group.features.data() + row * embedded_;
    T* next = to;
    for (const int32_t column : inputs_.columns) *next++ = from[column];
    *next++ = T{1};
    std::fill(next, to + embedded_, T{0});
  }
  dense_.multiply({group.features.data(), embedded_}, embed_node_.data(), nullptr,
                  {rows, embedded_, hidden_}, {group.nodes.data(), hidden_});
  for (int32_t b = 0; b < group.count; ++b) {
    if (batch.problems[group.first + b].tsp) continue;
    const int64_t row = group.first_rows[b];
    dense_.multiply({group.features.data() + row * embedded_, embedded_}, embed_depot_.data(),
                    nullptr, {1, embedded_, hidden_},
                    {group.nodes.data() + row * hidden_, hidden_});
  }
}

template <typename T>
void GraphTransformerPass<T>::Project(GraphTransformerGroup<T>& group) const {
  const int64_t rows = group.first_rows.back();
  GrowTo(group.projected, rows * group.columns);
  const Rows<const T> nodes{group.nodes.data(), hidden_};
  const Rows<T> projected{group.projected.data(), group.columns};
  if constexpr (std::is_same_v<T, float>) {
    if (UsesBf16(group)) bf16_projections_->Forward(nodes, rows, projected, group.bf16_scratch);
  }
  if (!UsesBf16(group)) {
    dense_.multiply(nodes, projection_.data(), nullptr, {rows, hidden_, 4 * hidden_}, projected);
  }
  if (group.columns == 5 * hidden_) {
    dense_.multiply(nodes, first_.data(), nullptr, {rows, hidden_, hidden_},
                    {group.projected.data() + 4 * hidden_, group.columns});
  }
  GrowTo(group.means, group.count * hidden_);
  GrowTo(group.base, group.count * hidden_);
  for (int32_t b = 0; b < group.count; ++b) {
    T* const mean = group.means.data() + b * hidden_;
    std::fill(mean, mean + hidden_, T{0});
    for (int64_t row = group.first_rows[b]; row < group.first_rows[b + 1]; ++row) {
      const T* const node = group.nodes.data() + row * hidden_;
      for (int64_t i = 0; i < hidden_; ++i) mean[i] += node[i];
    }
    const T share = T{1} / static_cast<T>(group.first_rows[b + 1] - group.first_rows[b]);
    for (int64_t i = 0; i < hidden_; ++i) mean[i] *= share;
  }
  dense_.multiply({group.means.data(), hidden_}, graph_.data(), nullptr,
                  {group.count, hidden_, hidden_}, {group.base.data(), hidden_});
  GrowTo(group.start, group.count * hidden_);
  for (int64_t i = 0; i < group.count * hidden_; ++i) {
    group.start[i] = group.base[i] + start_query_[i % hidden_];
  }
}

template <typename T>
DecoderNodes<const T> GraphTransformerPass<T>::Nodes(const GraphTransformerGroup<T>& group,
                                                     int32_t b) const {
  const T* const row = group.projected.data() + group.first_rows[b] * group.columns;
  const bool tours = group.columns == 5 * hidden_;
  return {.stride = group.columns,
          .keys = row,
          .values = row + hidden_,
          .logit_keys = row + 2 * hidden_,
          .queries = row + 3 * hidden_,
          .first_queries = tours ? row + 4 * hidden_ : nullptr,
          .base_query = group.base.data() + b * hidden_,
          .start_query = group.start.data() + b * hidden_,
          .shares_weight = shares_.data()};
}

template class GraphTransformerPass<float>;
template class GraphTransformerPass<double>;

}  // namespace vrp
