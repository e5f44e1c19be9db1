// Backward functions of GraphTransformerPass.
#include <algorithm>
#include <type_traits>

#include "core/model/graph_transformer/graph_transformer_pass.h"

namespace vrp {

template <typename T>
void GraphTransformerPass<T>::ClearSums(GraphTransformerGroup<T>& group) const {
  group.d_projection.assign(static_cast<size_t>(5 * hidden_ * hidden_), T{0});
  group.d_start.assign(static_cast<size_t>(hidden_), T{0});
  group.d_embedding.assign(static_cast<size_t>(2 * hidden_ * embedded_), T{0});
}

template <typename T>
void GraphTransformerPass<T>::ClearGradients(GraphTransformerGroup<T>& group) const {
  const int64_t rows = group.first_rows.back();
  GrowTo(group.d_projected, rows * group.columns);
  GrowTo(group.d_base, group.count * hidden_);
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
  GrowTo(group.d_nodes, rows * hidden_);
  const Rows<const T> d_projected{group.d_projected.data(), group.columns};
  const Rows<T> d_nodes{group.d_nodes.data(), hidden_};
  const Rows<const T> nodes{group.nodes.data(), hidden_};
  if constexpr (std::is_same_v<T, float>) {
    if (UsesBf16(group)) {
      bf16_projections_->Backward(d_projected, nodes.data, rows, d_nodes, group.d_projection.data(),
                                  group.bf16_scratch);
    }
  }
  if (!UsesBf16(group)) {
    dense_.multiply(d_projected, projection_back_.data(), nullptr, {rows, 4 * hidden_, hidden_},
                    d_nodes);
    dense_.add_transposed(d_projected, nodes, {4 * hidden_, rows, hidden_},
                          {group.d_projection.data(), hidden_});
  }
  if (group.columns == 5 * hidden_) {
    const Rows<const T> d_first{d_projected.data + 4 * hidden_, group.columns};
    dense_.multiply_add(d_first, first_back_.data(), {rows, hidden_, hidden_}, d_nodes);
    dense_.add_transposed(d_first, nodes, {hidden_, rows, hidden_},
                          {group.d_projection.data() + 4 * hidden_ * hidden_, hidden_});
  }
  for (int64_t i = 0; i < group.count * hidden_; ++i) {
    group.d_base[i] += group.d_starts[i];
    group.d_start[i % hidden_] += group.d_starts[i];
  }
  // The first product is the last use of the means. The second one writes their gradient to their
  // memory.
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
  // Depots have their own embedding weights, so their rows are handled separately.
  GrowTo(group.depot_rows, group.count * (hidden_ + embedded_));
  T* const d_depots = group.depot_rows.data();
  T* const depots = d_depots + group.count * hidden_;
  int64_t count = 0;
  for (int32_t b = 0; b < group.count; ++b) {
    if (batch.problems[group.first + b].tsp) continue;
    T* const d_row = group.d_nodes.data() + group.first_rows[b] * hidden_;
    std::copy_n(d_row, hidden_, d_depots + count * hidden_);
    std::fill_n(d_row, hidden_, T{0});
    std::copy_n(group.features.data() + group.first_rows[b] * embedded_, embedded_,
                depots + count * embedded_);
    ++count;
  }
  T* const sums = group.d_embedding.data();
  dense_.add_transposed({group.d_nodes.data(), hidden_}, {group.features.data(), embedded_},
                        {hidden_, group.first_rows.back(), embedded_}, {sums, embedded_});
  dense_.add_transposed({d_depots, hidden_}, {depots, embedded_}, {hidden_, count, embedded_},
                        {sums + hidden_ * embedded_, embedded_});
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
    const int64_t width = inputs_.width();
    for (int64_t out = 0; out < hidden_; ++out) {
      for (int64_t in = 0; in < width; ++in) {
        to[out * width + in] += sums[out * embedded_ + in];
      }
      ones[out] += sums[out * embedded_ + width];
    }
  };
  add(group.d_embedding.data(), "embed.node.weight", "embed.node.bias");
  add(group.d_embedding.data() + hidden_ * embedded_, "embed.depot.weight", "embed.depot.bias");
}

// Adds the gradients of the decoder's projections. Those of the factors of M = W_o^T W_l are
// dW_l = W_o dM and dW_o = W_l dM^T.
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
  const auto add_gradient = [&](const char* name, int64_t half) {
    const T* const weight = parameters + layout_.Offset(name);
    T* const d_weight = gradient + layout_.Offset(name);
    for (int64_t i = 0; i < hidden_; ++i) {
      for (int64_t k = 0; k < hidden_; ++k) {
        d_weight[i * hidden_ + k] += group.d_start[i] * placeholder[half + k];
        d_placeholder[half + k] += group.d_start[i] * weight[i * hidden_ + k];
      }
    }
  };
  add_gradient("decoder.first.weight", 0);
  add_gradient("decoder.last.weight", hidden_);
}

template void GraphTransformerPass<float>::ClearSums(GraphTransformerGroup<float>&) const;
template void GraphTransformerPass<double>::ClearSums(GraphTransformerGroup<double>&) const;
template void GraphTransformerPass<float>::ClearGradients(GraphTransformerGroup<float>&) const;
template void GraphTransformerPass<double>::ClearGradients(GraphTransformerGroup<double>&) const;
template DecoderNodes<float> GraphTransformerPass<float>::NodeGradients(
    GraphTransformerGroup<float>&, int32_t, float*) const;
template DecoderNodes<double> GraphTransformerPass<double>::NodeGradients(
    GraphTransformerGroup<double>&, int32_t, double*) const;
template void GraphTransformerPass<float>::Backward(const NetworkBatch&,
                                                    GraphTransformerGroup<float>&, float*) const;
template void GraphTransformerPass<double>::Backward(const NetworkBatch&,
                                                     GraphTransformerGroup<double>&, double*) const;
template void GraphTransformerPass<float>::Finish(const float*, const GraphTransformerGroup<float>&,
                                                  float*) const;
template void GraphTransformerPass<double>::Finish(const double*,
                                                   const GraphTransformerGroup<double>&,
                                                   double*) const;

}  // namespace vrp
