// Helpers shared by the tests of engines with LibTorch.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <span>
#include <vector>

#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/model/policy/network_batch.h"
#include "core/model/torch/engine.h"
#include "core/model/torch/engines.h"
#include "core/model/torch/networks.h"
#include "tests/model/small_networks.h"
#include "tests/testing/instance_builder.h"

namespace vrp::test {

// Makes a graph transformer that computes in `type` on the CPU.
inline std::unique_ptr<TorchEngine> TransformerEngine(at::ScalarType type,
                                                      const GraphTransformerOptions& sizes,
                                                      const EngineOptions& options = {}) {
  auto engine = std::make_unique<TorchEngine>(MakeTorchGraphTransformer(sizes),
                                              FlatParameters(GraphTransformerLayout(sizes), 5),
                                              at::TensorOptions(type), options);
  engine->parameters().TrackGradient();
  return engine;
}

// Makes an engine of a graph transformer with `sizes` as the program does, in float.
inline absl::StatusOr<std::unique_ptr<PolicyEngine>> TorchTransformer(
    const GraphTransformerOptions& sizes, const TorchEngineRequest& request) {
  const Architecture& architecture = GraphTransformerArchitecture();
  return MakeTorchEngine(architecture,
                         *architecture.parse_sizes(WriteGraphTransformerOptions(sizes), "sizes"),
                         request);
}
// Makes an engine of a pointer network with `sizes` as the program does, in float.
inline absl::StatusOr<std::unique_ptr<PolicyEngine>> TorchPointer(
    const PointerNetworkOptions& sizes, const TorchEngineRequest& request) {
  const Architecture& architecture = PointerArchitecture();
  return MakeTorchEngine(
      architecture, *architecture.parse_sizes(WritePointerNetworkOptions(sizes), "sizes"), request);
}

// Returns one instance of each variant that the graph transformer supports, of different sizes. A
// TSP with only a matrix is missing: its nodes differ only in their mean distances, and norms
// amplify rounding.
inline std::vector<Instance> Variants() {
  return {
      AnInstance().WithCustomers(7).RandomDemands().Build(),
      AnInstance().WithCustomers(5).Kind(ProblemKind::kTsp).Seed(2).Build(),
      AnInstance().WithCustomers(6).RandomWindows().Service(2).Seed(3).Build(),
      AnInstance().WithCustomers(8).OpenEnd().Seed(4).Build(),
      AnInstance().WithCustomers(6).MaxDistance(400).Seed(5).As(Metric::kRounded).Build(),
      AnInstance()
          .WithCustomers(6)
          .Backhauls({0, 3, 0, 2, 0, 4})
          .Demands({3, 0, 2, 0, 5, 0})
          .Build(),
      AnInstance().WithCustomers(7).ExplicitMatrix(0.4).Seed(6).Build(),
  };
}

// Weighs a trajectory by its group's first instance, its index in the group and its cost.
inline void WeighByIndexAndCost(int64_t first, std::span<const double> costs,
                                std::span<double> weights) {
  const size_t count = costs.size();
  for (size_t i = 0; i < count; ++i) {
    weights[i] =
        0.3 * static_cast<double>(first % 3) - 0.2 * static_cast<double>(i % 4) + 0.001 * costs[i];
  }
}

// Weighs a trajectory only by its cost, so the division of the batch does not matter.
inline void WeighByCost(int64_t, std::span<const double> costs, std::span<double> weights) {
  for (size_t i = 0; i < costs.size(); ++i) weights[i] = 0.01 * costs[i] - 2;
}

// Returns one plan per instance as its label, sampled from an untrained network.
inline std::vector<std::vector<int32_t>> SampleLabels(const NetworkBatch& batch) {
  return ChoicesOf(*MakeCpuPointerNetwork({.hidden = 16, .layers = 1}, 3)
                        ->Run(batch, {.choice = Choice::kSample}));
}

inline int64_t ChoicesIn(const std::vector<std::vector<int32_t>>& labels) {
  int64_t count = 0;
  for (const std::vector<int32_t>& one : labels) count += std::ssize(one);
  return count;
}

// Returns the largest difference as a share of the first vector's largest element, or as a share of
// `min_scale` if that is larger.
template <typename A, typename B>
double RelativeDifference(std::span<A> a, std::span<B> b, double min_scale = 1e-30) {
  double difference = 0;
  double largest = min_scale;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(a[i]) - b[i]));
    largest = std::max(largest, std::abs(static_cast<double>(a[i])));
  }
  return difference / largest;
}

// Returns the squared norm of the difference as a share of the first vector's squared norm.
template <typename A, typename B>
double NoiseShare(std::span<A> a, std::span<B> b) {
  double noise = 0;
  double power = 1e-300;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    noise += difference * difference;
    power += static_cast<double>(a[i]) * a[i];
  }
  return noise / power;
}

inline std::span<const double> Values(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<double>(), static_cast<size_t>(tensor.numel())};
}

}  // namespace vrp::test
