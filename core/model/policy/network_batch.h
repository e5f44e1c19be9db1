// A batch of instances as the engines read it: flat arrays without padding. Needs no torch.
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

// Number of features of the edge (i, j) that bias attention: d(i, j) and d(j, i), scaled like
// lengths, and exp(-d / 0.1) of both. The latter distinguish near neighbours.
inline constexpr int32_t kEdgeFeatures = 4;

// A batch of instances, which engines do not change. Rows of instance b are first_rows[b] ..
// first_rows[b + 1] - 1, its nodes in the network's order (see `orders`).
struct NetworkBatch {
  std::vector<int32_t> first_rows;       // [B + 1]
  std::vector<float> features;           // [rows, columns]
  int32_t columns = kNodeFeatures;       // the built-in ones, then the form's own, unscaled
  std::vector<RoutingProblem> problems;  // [B], nodes in the network's order; views of `storage`
  std::vector<NodeIndex> orders;         // [rows]: the node's number in its instance
  std::vector<double> storage;           // the arrays that `problems` point to

  int32_t size() const { return static_cast<int32_t>(problems.size()); }
  int32_t nodes(int32_t b) const { return first_rows[b + 1] - first_rows[b]; }
  int64_t rows() const { return first_rows.empty() ? 0 : first_rows.back(); }
  int32_t longest() const;  // number of nodes of the largest instance

  NetworkBatch() = default;
  NetworkBatch(NetworkBatch&&) = default;
  NetworkBatch& operator=(NetworkBatch&&) = default;
  NetworkBatch(const NetworkBatch&) = delete;  // `problems` would point into the original
  NetworkBatch& operator=(const NetworkBatch&) = delete;
};

// Returns the largest number of nodes that may come first in an instance of `batch`.
int32_t MaxStarts(const NetworkBatch& batch);

// Returns kUnimplemented for an instance that the networks cannot read. Reasons are required
// features (core/problem/instance/features.h) besides open routes and limits on distance and
// duration, or a missing feature column. Other reasons are missing coordinates that the order
// needs, and longitudes and latitudes without a distance matrix. Backhauls are supported unless
// nodes are read by angle.
absl::Status BatchSupports(const Instance& instance, const BatchForm& form);
// Makes a batch of `instances`, all of which must be supported and valid. InstanceData need not
// have ids.
NetworkBatch MakeNetworkBatch(std::span<const Instance> instances, const BatchForm& form);
NetworkBatch MakeNetworkBatch(std::span<const InstanceData> instances, const BatchForm& form);

// Converts a trajectory's choices to a plan in the instance's node numbers. Choice 0 returns to the
// depot; a TSP's choices are its cities in order.
Plan ChoicesToPlan(const NetworkBatch& batch, int32_t b, std::span<const int32_t> choices);
// Converts a complete, feasible plan to choices in a canonical form: equal plans give equal
// sequences.
std::vector<int32_t> PlanChoices(const NetworkBatch& batch, int32_t b, const Plan& plan);

}  // namespace vrp
