#include "core/model/network_input.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "core/base/text.h"

namespace vrp {
namespace {

// Where the circle of customers is cut: after the widest empty angle.
void RotateToWidestGap(const std::vector<double>& angles, std::vector<NodeIndex>& order) {
  double widest = -1;
  size_t start = 0;
  const size_t count = order.size();
  for (size_t k = 0; k < count; ++k) {
    const double before = angles[static_cast<size_t>(order[(k + count - 1) % count])];
    double gap = angles[static_cast<size_t>(order[k])] - before;
    if (k == 0) gap += 2 * std::numbers::pi;
    if (gap > widest) {
      widest = gap;
      start = k;
    }
  }
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(start), order.end());
}

// By angle; equal angles by everything else that tells customers apart, their number last.
std::vector<NodeIndex> CanonicalOrder(const Instance& instance) {
  const Position depot = instance.position(0);
  std::vector<double> angles(static_cast<size_t>(instance.num_nodes()));
  for (NodeIndex node = 1; node < instance.num_nodes(); ++node) {
    const Position at = instance.position(node);
    angles[static_cast<size_t>(node)] = std::atan2(at.y - depot.y, at.x - depot.x);
  }
  const auto key = [&](NodeIndex node) {
    const Position at = instance.position(node);
    const TimeWindow window = instance.window(node);
    return std::tuple(angles[static_cast<size_t>(node)], std::hypot(at.x - depot.x, at.y - depot.y),
                      instance.demand(node), window.open, window.close, instance.service(node),
                      node);
  };
  std::vector<NodeIndex> customers(angles.size() - 1);
  std::iota(customers.begin(), customers.end(), 1);
  std::sort(customers.begin(), customers.end(),
            [&](NodeIndex a, NodeIndex b) { return key(a) < key(b); });
  if (!customers.empty()) RotateToWidestGap(angles, customers);
  customers.insert(customers.begin(), 0);
  return customers;
}

void ScalePositions(NetworkInput& input) {
  Position low = input.instance.position(0);
  Position high = low;
  for (NodeIndex node = 0; node < input.instance.num_nodes(); ++node) {
    const Position at = input.instance.position(node);
    low = {std::min(low.x, at.x), std::min(low.y, at.y)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y)};
  }
  const double side = std::max(high.x - low.x, high.y - low.y);
  input.scale = side > 0 ? side : 1;
  for (const NodeIndex node : input.order) {
    const Position at = input.instance.position(node);
    input.positions.push_back({(at.x - low.x) / input.scale, (at.y - low.y) / input.scale});
  }
  for (int32_t k = 0; k < input.size(); ++k) input.depot_distances.push_back(input.Between(0, k));
}

double Horizon(const Instance& instance) {
  if (!instance.has_windows()) return 0;
  const TimeWindow depot = instance.window(0);
  if (depot.close != kNoLimit) return depot.close - depot.open;
  double end = depot.open;
  for (NodeIndex node = 1; node < instance.num_nodes(); ++node) {
    const TimeWindow window = instance.window(node);
    const double last = window.close == kNoLimit ? window.open : window.close;
    end = std::max(end, last + instance.service(node) + instance.Duration(node, 0));
  }
  return end - depot.open;
}

void FillFeatures(NetworkInput& input) {
  const Instance& instance = input.instance;
  const double opening = instance.window(0).open;
  const auto time = [&](double value) {
    return input.horizon > 0 ? std::clamp((value - opening) / input.horizon, 0.0, 1.0) : 0.0;
  };
  for (int32_t k = 0; k < input.size(); ++k) {
    const auto at = static_cast<size_t>(k);
    const NodeIndex node = input.order[at];
    const TimeWindow window = instance.window(node);
    const double capacity = instance.capacity();
    const bool limited = capacity != kNoLimit && capacity > 0;
    const double service = input.horizon > 0 ? instance.service(node) / input.horizon : 0;
    const std::array<double, kStaticFeatures> row = {input.positions[at].x,
                                                     input.positions[at].y,
                                                     limited ? instance.demand(node) / capacity : 0,
                                                     time(window.open),
                                                     input.horizon > 0 ? time(window.close) : 1,
                                                     std::min(service, 1.0),
                                                     k == 0 ? 1.0 : 0.0};
    for (const double value : row) input.features.push_back(static_cast<float>(value));
  }
}

}  // namespace

double NetworkInput::Between(int32_t from, int32_t to) const {
  const Position a = positions[static_cast<size_t>(from)];
  const Position b = positions[static_cast<size_t>(to)];
  return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

absl::Status NetworkSupports(const Instance& instance) {
  const auto refuse = [](auto... parts) { return absl::UnimplementedError(Concat(parts...)); };
  if (!instance.has_positions()) {
    return refuse("distance_matrix: a pointer network needs the nodes' coordinates too");
  }
  if (instance.num_depots() != 1) {
    return refuse("depots: got ", instance.num_depots(), ", a pointer network knows one");
  }
  if (instance.vehicles().size() > 1) {
    return refuse("vehicles: got ", instance.vehicles().size(),
                  " types, a pointer network knows one");
  }
  if (instance.has_backhauls()) {
    return refuse("customers.backhaul: a pointer network knows deliveries only");
  }
  for (const VehicleType& vehicle : instance.vehicles()) {
    if (vehicle.open_end) return refuse("vehicles[0].open_end: this network's vehicles return");
    if (vehicle.max_distance != kNoLimit) {
      return refuse("vehicles[0].max_distance: this network knows no limit on distance");
    }
  }
  return absl::OkStatus();
}

NetworkInput MakeNetworkInput(const Instance& instance) {
  NetworkInput input{.instance = instance,
                     .order = CanonicalOrder(instance),
                     .features = {},
                     .positions = {},
                     .depot_distances = {}};
  ScalePositions(input);
  input.horizon = Horizon(instance);
  const bool limited =
      !instance.vehicles().empty() && instance.vehicles().front().max_duration != kNoLimit;
  input.timed = instance.has_windows() || limited;
  FillFeatures(input);
  return input;
}

std::vector<NetworkInput> MakeNetworkInputs(std::span<const Instance> instances) {
  std::vector<NetworkInput> inputs;
  inputs.reserve(instances.size());
  for (const Instance& instance : instances) inputs.push_back(MakeNetworkInput(instance));
  return inputs;
}

}  // namespace vrp
