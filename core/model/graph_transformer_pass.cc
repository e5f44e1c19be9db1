#include "core/model/graph_transformer_pass.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace vrp {
namespace {

// Features of a node in the embedding's product: padded to whole vectors; the one after the last is
// 1, so that the bias is a weight like the others.
constexpr int64_t kPadded = 16;
constexpr int64_t kOne = kNodeFeatures;
static_assert(kOne < kPadded);

template <typename T>
void Resize(std::vector<T>& values, int64_t size) {
  if (static_cast<int64_t>(values.size()) < size) values.resize(static_cast<size_t>(size));
}

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
      encoder_(MakeEncoder<T>(EncoderShapeOf(options), EncoderOffsets(options, layout_), isa)),
      hidden_(options.hidden) {
  if constexpr (std::is_same_v<T, float>) {
    if (UsableBf16() == Bf16::kNone) return;
    bf16_encoder_ =
        MakeBf16Encoder(EncoderShapeOf(options), EncoderOffsets(options, layout_), UsableBf16());
  }
}

template <typename T>
void GraphTransformerPass<T>::PackBf16(const T* parameters) {
  if (!HasBf16() || bf16_packed_) return;
  bf16_encoder_->Pack(parameters);
  bf16_packed_ = true;
}

template <typename T>
void GraphTransformerPass<T>::Pack(const T* parameters) {
  encoder_->Pack(parameters);
  bf16_packed_ = false;
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
    std::vector<T> padded(static_cast<size_t>(kPadded * hidden_), T{0});  // [in, out]
    for (int64_t out = 0; out < hidden_; ++out) {
      for (int64_t in = 0; in < kNodeFeatures; ++in) {
        padded[in * hidden_ + out] = from[out * kNodeFeatures + in];
      }
      padded[kOne * hidden_ + out] = ones[out];
    }
    packed.resize(padded.size());
    dense_.pack(padded.data(), hidden_, 1, {0, kPadded, hidden_}, packed.data());
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
  std::vector<T> rows(static_cast<size_t>(4 * size), T{0});  // [4H out, H in]
  std::copy_n(project, 2 * size, rows.begin());
  dense_.add_transposed({out, hidden_}, {project + 2 * size, hidden_}, {hidden_, hidden_, hidden_},
                        {rows.data() + 2 * size, hidden_});
  std::copy_n(last, size, rows.begin() + 3 * size);
  projection_.resize(static_cast<size_t>(4 * size));
  first_.resize(static_cast<size_t>(size));
  projection_back_.resize(static_cast<size_t>(4 * size));
  first_back_.resize(static_cast<size_t>(size));
  dense_.pack(rows.data(), 1, hidden_, {0, hidden_, 4 * hidden_}, projection_.data());
  dense_.pack(first, 1, hidden_, {0, hidden_, hidden_}, first_.data());
  dense_.pack(rows.data(), hidden_, 1, {0, 4 * hidden_, hidden_}, projection_back_.data());
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
  Resize(group.scratch, encoder.ScratchSize(group.first_rows));
  if (keep) Resize(group.saved, encoder.SavedSize(group.first_rows));
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
  Resize(group.edges, size);
  group.edge_starts.clear();
  T* next = group.edges.data();
  for (int32_t b = 0; b < group.count; ++b) {
    const RoutingProblem& problem = batch.problems[group.first + b];
    const int64_t nodes = problem.nodes;
    Resize(group.distances, nodes * nodes);
    const T scale = static_cast<T>(1 / problem.scale);
    T* at = group.distances.data();
    if (problem.distances != nullptr) {
      for (int64_t i = 0; i < nodes * nodes; ++i) {
        at[i] = static_cast<T>(problem.distances[i]) * scale;
      }
    } else {
      // The network sees the plane, whatever the metric rounds.
      const float* const features =
          batch.features.data() + int64_t{batch.first_rows[group.first + b]} * kNodeFeatures;
      for (int64_t i = 0; i < nodes; ++i) {
        const T x = features[i * kNodeFeatures];
        const T y = features[i * kNodeFeatures + 1];
        for (int64_t j = 0; j < nodes; ++j, ++at) {
          const T dx = features[j * kNodeFeatures] - x;
          const T dy = features[j * kNodeFeatures + 1] - y;
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
  Resize(group.features, rows * kPadded);
  Resize(group.nodes, rows * hidden_);
  const float* from =
      batch.features.data() + int64_t{batch.first_rows[group.first]} * kNodeFeatures;
  for (int64_t row = 0; row < rows; ++row, from += kNodeFeatures) {
    T* const to = group.features.data() + row * kPadded;
    std::copy_n(from, kNodeFeatures, to);
    std::fill(to + kNodeFeatures, to + kPadded, T{0});
    to[kOne] = T{1};
  }
  dense_.multiply({group.features.data(), kPadded}, embed_node_.data(), nullptr,
                  {rows, kPadded, hidden_}, {group.nodes.data(), hidden_});
  for (int32_t b = 0; b < group.count; ++b) {
    if (batch.problems[group.first + b].tsp) continue;
    const int64_t row = group.first_rows[b];
    dense_.multiply({group.features.data() + row * kPadded, kPadded}, embed_depot_.data(), nullptr,
                    {1, kPadded, hidden_}, {group.nodes.data() + row * hidden_, hidden_});
  }
}

template <typename T>
void GraphTransformerPass<T>::Project(GraphTransformerGroup<T>& group) const {
  const int64_t rows = group.first_rows.back();
  Resize(group.projected, rows * group.columns);
  const Rows<const T> nodes{group.nodes.data(), hidden_};
  dense_.multiply(nodes, projection_.data(), nullptr, {rows, hidden_, 4 * hidden_},
                  {group.projected.data(), group.columns});
  if (group.columns == 5 * hidden_) {
    dense_.multiply(nodes, first_.data(), nullptr, {rows, hidden_, hidden_},
                    {group.projected.data() + 4 * hidden_, group.columns});
  }
  Resize(group.means, group.count * hidden_);
  Resize(group.base, group.count * hidden_);
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
  Resize(group.start, group.count * hidden_);
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

template <typename T>
void GraphTransformerPass<T>::ClearSums(GraphTransformerGroup<T>& group) const {
  group.d_projection.assign(static_cast<size_t>(5 * hidden_ * hidden_), T{0});
  group.d_start.assign(static_cast<size_t>(hidden_), T{0});
  group.d_embedding.assign(static_cast<size_t>(2 * hidden_ * kPadded), T{0});
}

template <typename T>
void GraphTransformerPass<T>::ClearGradients(GraphTransformerGroup<T>& group) const {
  const int64_t rows = group.first_rows.back();
  Resize(group.d_projected, rows * group.columns);
  Resize(group.d_base, group.count * hidden_);
  std::fill_n(group.d_projected.begin(), rows * group.columns, T{0});
  std::fill_n(group.d_base.begin(), group.count * hidden_, T{0});
  group.d_starts.assign(static_cast<size_t>(group.count * hidden_), T{0});
}

template <typename T>
DecoderNodes<T> GraphTransformerPass<T>::NodeGradients(GraphTransformerGroup<T>& group, int32_t b,
                                                       T* gradient) const {
  T* const row = group.d_projected.data() + group.first_rows[b] * group.columns;
  const bool tours = group.columns == 5 * hidden_;
  return {.stride = group.columns,
          .keys = row,
          .values = row + hidden_,
          .logit_keys = row + 2 * hidden_,
          .queries = row + 3 * hidden_,
          .first_queries = tours ? row + 4 * hidden_ : nullptr,
          .base_query = group.d_base.data() + b * hidden_,
          .start_query = group.d_starts.data() + b * hidden_,
          .shares_weight = gradient + layout_.Offset("decoder.shares.weight")};
}

template <typename T>
void GraphTransformerPass<T>::Backward(const NetworkBatch& batch, GraphTransformerGroup<T>& group,
                                       T* gradient) const {
  BackwardProjections(group, gradient);
  EncoderOf(group).Backward({group.first_rows, group.edge_starts}, group.d_nodes.data(),
                            group.saved.data(), group.scratch.data(), gradient);
  BackwardEmbedding(batch, group);
}

template <typename T>
void GraphTransformerPass<T>::BackwardProjections(GraphTransformerGroup<T>& group,
                                                  T* gradient) const {
  const int64_t rows = group.first_rows.back();
  Resize(group.d_nodes, rows * hidden_);
  const Rows<const T> d_projected{group.d_projected.data(), group.columns};
  const Rows<T> d_nodes{group.d_nodes.data(), hidden_};
  dense_.multiply(d_projected, projection_back_.data(), nullptr, {rows, 4 * hidden_, hidden_},
                  d_nodes);
  if (group.columns == 5 * hidden_) {
    dense_.multiply_add({d_projected.data + 4 * hidden_, group.columns}, first_back_.data(),
                        {rows, hidden_, hidden_}, d_nodes);
  }
  dense_.add_transposed(d_projected, {group.nodes.data(), hidden_}, {group.columns, rows, hidden_},
                        {group.d_projection.data(), hidden_});
  for (int64_t i = 0; i < group.count * hidden_; ++i) {
    group.d_base[i] += group.d_starts[i];
    group.d_start[i % hidden_] += group.d_starts[i];
  }
  // means become free here: their gradient takes their place after its last use.
  dense_.add_transposed({group.d_base.data(), hidden_}, {group.means.data(), hidden_},
                        {hidden_, group.count, hidden_},
                        {gradient + layout_.Offset("decoder.graph.weight"), hidden_});
  dense_.multiply({group.d_base.data(), hidden_}, graph_back_.data(), nullptr,
                  {group.count, hidden_, hidden_}, {group.means.data(), hidden_});
  for (int32_t b = 0; b < group.count; ++b) {
    const T* const d_mean = group.means.data() + b * hidden_;
    const T share = T{1} / static_cast<T>(group.first_rows[b + 1] - group.first_rows[b]);
    for (int64_t row = group.first_rows[b]; row < group.first_rows[b + 1]; ++row) {
      T* const d_node = group.d_nodes.data() + row * hidden_;
      for (int64_t i = 0; i < hidden_; ++i) d_node[i] += share * d_mean[i];
    }
  }
}

template <typename T>
void GraphTransformerPass<T>::BackwardEmbedding(const NetworkBatch& batch,
                                                GraphTransformerGroup<T>& group) const {
  // Depots' rows go through weights of their own: they are taken out of the nodes'.
  Resize(group.depot_rows, group.count * (hidden_ + kPadded));
  T* const d_depots = group.depot_rows.data();
  T* const depots = d_depots + group.count * hidden_;
  int64_t count = 0;
  for (int32_t b = 0; b < group.count; ++b) {
    if (batch.problems[group.first + b].tsp) continue;
    T* const d_row = group.d_nodes.data() + group.first_rows[b] * hidden_;
    std::copy_n(d_row, hidden_, d_depots + count * hidden_);
    std::fill_n(d_row, hidden_, T{0});
    std::copy_n(group.features.data() + group.first_rows[b] * kPadded, kPadded,
                depots + count * kPadded);
    ++count;
  }
  T* const sums = group.d_embedding.data();
  dense_.add_transposed({group.d_nodes.data(), hidden_}, {group.features.data(), kPadded},
                        {hidden_, group.first_rows.back(), kPadded}, {sums, kPadded});
  dense_.add_transposed({d_depots, hidden_}, {depots, kPadded}, {hidden_, count, kPadded},
                        {sums + hidden_ * kPadded, kPadded});
}

template <typename T>
void GraphTransformerPass<T>::Finish(const T* parameters, const GraphTransformerGroup<T>& group,
                                     T* gradient) const {
  FinishEmbedding(group, gradient);
  FinishFolded(parameters, group, gradient);
  FinishPlaceholder(parameters, group, gradient);
}

template <typename T>
void GraphTransformerPass<T>::FinishEmbedding(const GraphTransformerGroup<T>& group,
                                              T* gradient) const {
  const auto add = [&](const T* sums, const char* weight, const char* bias) {
    T* const to = gradient + layout_.Offset(weight);
    T* const ones = gradient + layout_.Offset(bias);
    for (int64_t out = 0; out < hidden_; ++out) {
      for (int64_t in = 0; in < kNodeFeatures; ++in) {
        to[out * kNodeFeatures + in] += sums[out * kPadded + in];
      }
      ones[out] += sums[out * kPadded + kOne];
    }
  };
  add(group.d_embedding.data(), "embed.node.weight", "embed.node.bias");
  add(group.d_embedding.data() + hidden_ * kPadded, "embed.depot.weight", "embed.depot.bias");
}

// With M = W_o^T W_l: dW_l = W_o dM, dW_o = W_l dM^T.
template <typename T>
void GraphTransformerPass<T>::FinishFolded(const T* parameters,
                                           const GraphTransformerGroup<T>& group,
                                           T* gradient) const {
  const int64_t size = hidden_ * hidden_;
  T* const d_project = gradient + layout_.Offset("decoder.project.weight");
  for (int64_t i = 0; i < 2 * size; ++i) d_project[i] += group.d_projection[i];
  const auto add = [&](int64_t block, const char* name) {
    T* const to = gradient + layout_.Offset(name);
    for (int64_t i = 0; i < size; ++i) to[i] += group.d_projection[block * size + i];
  };
  add(3, "decoder.last.weight");
  add(4, "decoder.first.weight");
  const T* const d_folded = group.d_projection.data() + 2 * size;
  const T* const out = parameters + layout_.Offset("decoder.out.weight");
  const T* const logit = parameters + layout_.Offset("decoder.project.weight") + 2 * size;
  std::vector<T> packed(static_cast<size_t>(size));
  const DenseShape square{hidden_, hidden_, hidden_};
  dense_.pack(d_folded, hidden_, 1, square, packed.data());
  dense_.multiply_add({out, hidden_}, packed.data(), square, {d_project + 2 * size, hidden_});
  dense_.pack(d_folded, 1, hidden_, square, packed.data());
  dense_.multiply_add({logit, hidden_}, packed.data(), square,
                      {gradient + layout_.Offset("decoder.out.weight"), hidden_});
}

template <typename T>
void GraphTransformerPass<T>::FinishPlaceholder(const T* parameters,
                                                const GraphTransformerGroup<T>& group,
                                                T* gradient) const {
  const T* const placeholder = parameters + layout_.Offset("decoder.placeholder");
  T* const d_placeholder = gradient + layout_.Offset("decoder.placeholder");
  const auto chain = [&](const char* name, int64_t half) {
    const T* const weight = parameters + layout_.Offset(name);
    T* const d_weight = gradient + layout_.Offset(name);
    for (int64_t i = 0; i < hidden_; ++i) {
      for (int64_t k = 0; k < hidden_; ++k) {
        d_weight[i * hidden_ + k] += group.d_start[i] * placeholder[half + k];
        d_placeholder[half + k] += group.d_start[i] * weight[i * hidden_ + k];
      }
    }
  };
  chain("decoder.first.weight", 0);
  chain("decoder.last.weight", hidden_);
}

template class GraphTransformerPass<float>;
template class GraphTransformerPass<double>;

}  // namespace vrp
