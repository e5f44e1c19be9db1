// Instances as the engines see them: flat arrays, made once, with no padding. No torch here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/kernels/routing_problem.h"
#include "core/problem/instance.h"
#include "core/problem/solution.h"

namespace vrp {

// Static features of a node. Coordinates are moved and scaled (by one factor) into the unit square;
// lengths are scaled by the same; loads are shares of the capacity, times of the horizon. What an
// instance does not have is 0, a window that it does not have is [0, 1].
inline constexpr std::array<std::string_view, 12> kNodeFeatureNames = {
    "x",       "y",           "demand",      "backhaul",   "window_open", "window_close",
    "service", "open_routes", "limit_share", "from_depot", "to_depot",    "is_depot",
};
inline constexpr int32_t kNodeFeatures = 12;
// open_routes and limit_share (scale / distance limit, 0 without one) are the instance's and the
// same at each of its nodes. Without coordinates x and y are 0: the edges tell where nodes lie. A
// TSP has no depot: there from_depot and to_depot are 0, or without coordinates the mean distance
// from and to the other cities.

// Features of the edge (i, j), by which attention is biased: d(i, j) and d(j, i), scaled as lengths
// are, and exp(-d / 0.1) of both, which tells neighbours apart.
inline constexpr int32_t kEdgeFeatures = 4;

// Immutable once made; copying is allowed but costs. Rows of instance b are first_rows[b] ..
// first_rows[b + 1] - 1, its nodes in the network's order (see `orders`).
struct NetworkBatch {
  std::vector<int32_t> first_rows;       // [B + 1]
  std::vector<float> features;           // [rows, kNodeFeatures]
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

enum class NodeOrder {
  kAsGiven,  // for networks that do not depend on it
  kByAngle,  // customers by their angle around the depot, after the widest gap: for sequence models
};

// kUnimplemented names what the networks were not made for: several depots or vehicle types, no
// coordinates where `order` needs them, a combination of backhauls that is not served.
absl::Status BatchSupports(const Instance& instance, NodeOrder order);
// Every instance is supported. InstanceData need not have ids; it must be valid.
NetworkBatch MakeNetworkBatch(std::span<const Instance> instances, NodeOrder order);
NetworkBatch MakeNetworkBatch(std::span<const InstanceData> instances, NodeOrder order);

// A trajectory's choices (0: back to the depot; of a TSP: its cities in order) as a plan in the
// instance's node numbers, and back: the choices of a complete, feasible plan in a canonical form,
// so that equal plans give equal sequences.
Plan ChoicesToPlan(const NetworkBatch& batch, int32_t b, std::span<const int32_t> choices);
std::vector<int32_t> PlanChoices(const NetworkBatch& batch, int32_t b, const Plan& plan);

}  // namespace vrp
