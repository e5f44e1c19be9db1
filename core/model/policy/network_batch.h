// Instances as the engines see them: flat arrays, made once, with no padding. No torch here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "core/kernels/routing/node_features.h"
#include "core/kernels/routing/routing_problem.h"
#include "core/model/policy/batch_form.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Features of the edge (i, j), by which attention is biased: d(i, j) and d(j, i), scaled as lengths
// are, and exp(-d / 0.1) of both, which tells neighbours apart.
inline constexpr int32_t kEdgeFeatures = 4;

// Immutable once made; copying is allowed but costs. Rows of instance b are first_rows[b] ..
// first_rows[b + 1] - 1, its nodes in the network's order (see `orders`).
struct NetworkBatch {
  std::vector<int32_t> first_rows;       // [B + 1]
  std::vector<float> features;           // [rows, columns]
  int32_t columns = kNodeFeatures;       // these, and the form's own behind them, as they are given
  std::vector<RoutingProblem> problems;  // [B], nodes in the network's order; views of `storage`
  std::vector<NodeIndex> orders;         // [rows]: the instance's number of each node
  std::vector<double> storage;           // what `problems` point to

  int32_t size() const { return static_cast<int32_t>(problems.size()); }
  int32_t nodes(int32_t b) const { return first_rows[b + 1] - first_rows[b]; }
  int64_t rows() const { return first_rows.empty() ? 0 : first_rows.back(); }
  int32_t longest() const;

  NetworkBatch() = default;
  NetworkBatch(NetworkBatch&&) = default;
  NetworkBatch& operator=(NetworkBatch&&) = default;
  NetworkBatch(const NetworkBatch&) = delete;  // `problems` would point into the other
  NetworkBatch& operator=(const NetworkBatch&) = delete;
};

// How many nodes may come first in an instance of `batch`, at most.
int32_t MostStarts(const NetworkBatch& batch);

// kUnimplemented names what the networks were not made for: several depots or vehicle types, no
// coordinates where the order needs them, a combination of backhauls that is not served, a feature
// column that the instance does not have.
absl::Status BatchSupports(const Instance& instance, const BatchForm& form);
// Every instance is supported. InstanceData need not have ids; it must be valid.
NetworkBatch MakeNetworkBatch(std::span<const Instance> instances, const BatchForm& form);
NetworkBatch MakeNetworkBatch(std::span<const InstanceData> instances, const BatchForm& form);

// A trajectory's choices (0: back to the depot; of a TSP: its cities in order) as a plan in the
// instance's node numbers, and back: the choices of a complete, feasible plan in a canonical form,
// so that equal plans give equal sequences.
Plan ChoicesToPlan(const NetworkBatch& batch, int32_t b, std::span<const int32_t> choices);
std::vector<int32_t> PlanChoices(const NetworkBatch& batch, int32_t b, const Plan& plan);

}  // namespace vrp
