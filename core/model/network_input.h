// An instance as the networks see it: nodes in a canonical order, features scaled to about [0, 1].
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/instance.h"

namespace vrp {

// The eight inputs of a node. The first seven are static and enter the encoder; is_visited changes
// and enters the pointer's attention at every step (see RoutingState).
inline constexpr std::array<std::string_view, 8> kInputFeatures = {
    "x", "y", "demand", "window_open", "window_close", "service", "is_depot", "is_visited",
};
inline constexpr int32_t kStaticFeatures = 7;

// Node k of the network is node order[k] of the instance. order[0] is the depot; the customers
// follow by their angle around it, beginning after the widest gap. What a network that reads nodes
// in sequence makes of an instance therefore does not depend on the order of its customers.
//
// Coordinates are moved and scaled (both by one factor) into the unit square, times by the horizon:
// from the depot's opening to its close, or where it never closes to when the last window's visit
// is over. Demands are shares of the capacity. What has no limit counts as 0 demand, windows as [0,
// 1].
struct NetworkInput {
  Instance instance;
  std::vector<NodeIndex> order;         // [N]
  std::vector<float> features;          // [N, kStaticFeatures] row-major
  std::vector<Position> positions;      // [N], scaled
  std::vector<double> depot_distances;  // [N], scaled
  double scale = 1;                     // coordinates' units in the unit square's side
  double horizon = 0;                   // 0: no times
  bool timed = false;                   // windows or a limit on the duration: masks look at times

  int32_t size() const { return static_cast<int32_t>(order.size()); }
  // Scaled, from positions: what the network sees, whatever matrix the instance has.
  double Between(int32_t from, int32_t to) const;
};

// kUnimplemented names what the networks were not made for: no coordinates, several depots or
// vehicle types, backhauls.
absl::Status NetworkSupports(const Instance& instance);

// `instance` must be supported.
NetworkInput MakeNetworkInput(const Instance& instance);
std::vector<NetworkInput> MakeNetworkInputs(std::span<const Instance> instances);

}  // namespace vrp
