#include "core/problem/checker/freeze.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/checker/checker_data.h"
#include "core/problem/checker/checker_route.h"
#include "core/problem/plan/plan.h"

namespace vrp {
namespace {

// Largest number of deliveries for which OrderDeliveries tries every order. Beyond this number,
// OrderDeliveries inserts each delivery at the first feasible position, or at the end.
constexpr size_t kMaxPermutedDeliveries = 6;

class Freezer {
 public:
  explicit Freezer(const Instance& instance)
      : instance_(instance),
        data_(instance.data()),
        raw_(instance.data()),
        frozen_in_(static_cast<size_t>(instance.num_nodes()), -1),
        used_(std::max<size_t>(1, raw_.vehicles.size()), 0) {}

  absl::Status Check(std::vector<FrozenRoute>& routes) {
    for (const FrozenRoute& route : routes) VRP_RETURN_IF_ERROR(CheckNumbers(route));
    for (const std::vector<NodeIndex>& group : raw_.alternative_groups) {
      VRP_RETURN_IF_ERROR(CheckGroup(group));
    }
    for (FrozenRoute& route : routes) {
      VRP_RETURN_IF_ERROR(FindDeliveries(route));
      VRP_RETURN_IF_ERROR(CheckRules(route));
    }
    return CheckTogether(routes);
  }

 private:
  template <typename... Parts>
  absl::Status Refuse(int32_t route, const Parts&... parts) const {
    return absl::InvalidArgumentError(
        Concat("initial_solution.routes[", route, "].frozen_stops: ", parts...));
  }

  const VehicleType& VehicleOfRoute(const FrozenRoute& route) const {
    return VehicleOf(instance_, {.vehicle_type = route.vehicle_type});
  }

  absl::Status CheckNumbers(const FrozenRoute& route) {
    if (route.vehicle_type < 0 || std::ssize(used_) <= route.vehicle_type) {
      return Refuse(route.route, "vehicle type ", route.vehicle_type,
                    " does not exist, wanted 0 to ", std::ssize(used_) - 1);
    }
    const VehicleType& vehicle = VehicleOfRoute(route);
    const int64_t count = raw_.vehicles.empty() ? 1 : vehicle.count;
    if (++used_[static_cast<size_t>(route.vehicle_type)] > count && count > 0) {
      return Refuse(route.route, "got ", used_[static_cast<size_t>(route.vehicle_type)],
                    " frozen routes of vehicles[", route.vehicle_type, "], wanted at most ", count,
                    ", the number of its vehicles");
    }
    for (const NodeIndex node : route.visits) {
      if (vehicle.MayReloadAt(node)) continue;
      if (node < raw_.num_depots || node >= instance_.num_nodes()) {
        return Refuse(route.route, "node ", node,
                      " is neither a customer nor a reload of this vehicle, wanted ",
                      raw_.num_depots, " to ", instance_.num_nodes() - 1,
                      vehicle.max_reloads > 0 ? ", or a depot where it may reload" : "");
      }
      if (std::exchange(frozen_in_[static_cast<size_t>(node)], route.route) >= 0) {
        return Refuse(route.route, "customer ", data_.id(node), " is frozen twice, wanted once");
      }
    }
    if (!instance_.is_depot(route.visits.back())) return absl::OkStatus();
    return Refuse(route.route, "ends with a reload, wanted a customer");
  }

  absl::Status CheckGroup(const std::vector<NodeIndex>& group) const {
    NodeIndex first = -1;
    for (const NodeIndex node : group) {
      const int32_t route = frozen_in_[static_cast<size_t>(node)];
      if (route < 0) continue;
      if (first >= 0) {
        return Refuse(route, "customers ", data_.id(first), " and ", data_.id(node),
                      " are alternatives, wanted one of them");
      }
      first = node;
    }
    return absl::OkStatus();
  }

  // Checks that no two customers are frozen, or on board, in different routes that must share one.
  absl::Status CheckTogether(const std::vector<FrozenRoute>& routes) const {
    std::vector<int32_t> route_of = frozen_in_;
    for (const FrozenRoute& route : routes) {
      for (const NodeIndex node : route.deliveries) {
        route_of[static_cast<size_t>(node)] = route.route;
      }
    }
    for (const std::vector<NodeIndex>& customers : data_.together()) {
      NodeIndex first = -1;
      for (const NodeIndex node : customers) {
        const int32_t route = route_of[static_cast<size_t>(node)];
        if (route < 0) continue;
        if (first < 0) first = node;
        if (route == route_of[static_cast<size_t>(first)]) continue;
        return Refuse(route, "customer ", data_.id(node), " must share a route with customer ",
                      data_.id(first), ", which is frozen in another one, wanted one route");
      }
    }
    return absl::OkStatus();
  }

  absl::Status FindDeliveries(FrozenRoute& route) const {
    const auto& visits = route.visits;
    for (const Shipment& shipment : raw_.shipments) {
      const auto pickup = std::find(visits.begin(), visits.end(), shipment.pickup);
      const auto delivery = std::find(visits.begin(), visits.end(), shipment.delivery);
      if (delivery != visits.end() && (pickup == visits.end() || delivery < pickup)) {
        return Refuse(route.route, "customer ", data_.id(shipment.delivery),
                      " is a delivery, and its pickup, customer ", data_.id(shipment.pickup),
                      ", is not frozen before it; wanted the pickup first, or neither");
      }
      if (pickup == visits.end() || delivery != visits.end()) continue;
      if (frozen_in_[static_cast<size_t>(shipment.delivery)] >= 0) {
        return Refuse(route.route, "customer ", data_.id(shipment.delivery), ", the delivery of ",
                      data_.id(shipment.pickup),
                      ", is frozen in another route, wanted the same route");
      }
      route.deliveries.push_back(shipment.delivery);
    }
    return absl::OkStatus();
  }

  absl::Status CheckRules(FrozenRoute& route) const {
    std::optional<Violation> violation = FirstViolation(route, {});
    if (!violation.has_value() && !route.deliveries.empty()) {
      route.deliveries = OrderDeliveries(route);
      violation = FirstViolation(route, route.deliveries);
    }
    if (!violation.has_value()) return absl::OkStatus();
    return Refuse(route.route, violation->message.substr(violation->message.find(": ") + 2));
  }

  std::optional<Violation> FirstViolation(const FrozenRoute& route,
                                          const std::vector<NodeIndex>& deliveries) const {
    const VehicleType& vehicle = VehicleOfRoute(route);
    std::vector<NodeIndex> path = {vehicle.depot};
    path.insert(path.end(), route.visits.begin(), route.visits.end());
    path.insert(path.end(), deliveries.begin(), deliveries.end());
    if (!vehicle.open_end) path.push_back(vehicle.end());
    std::vector<Violation> violations;
    RouteChecker(data_, route.route, vehicle, path, violations).Run();
    if (violations.empty()) return std::nullopt;
    return std::move(violations.front());
  }

  // Returns a feasible order of the deliveries if it finds one, else an arbitrary order.
  std::vector<NodeIndex> OrderDeliveries(const FrozenRoute& route) const {
    std::vector<NodeIndex> order = route.deliveries;
    if (order.size() <= kMaxPermutedDeliveries) {
      std::sort(order.begin(), order.end());
      do {
        if (!FirstViolation(route, order).has_value()) return order;
      } while (std::next_permutation(order.begin(), order.end()));
      return order;
    }
    order.clear();
    for (const NodeIndex delivery : route.deliveries) {
      size_t at = 0;
      order.insert(order.begin(), delivery);
      for (; at + 1 < order.size() && FirstViolation(route, order).has_value(); ++at) {
        std::swap(order[at], order[at + 1]);
      }
    }
    return order;
  }

  const Instance& instance_;
  const CheckerData data_;
  const InstanceData& raw_;
  std::vector<int32_t> frozen_in_;  // [N] FrozenRoute::route; -1: not frozen
  std::vector<int64_t> used_;       // frozen routes by vehicle type
};

}  // namespace

absl::StatusOr<Instance> Freeze(const Instance& instance, std::vector<FrozenRoute> routes) {
  std::erase_if(routes, [](const FrozenRoute& route) { return route.visits.empty(); });
  VRP_RETURN_IF_ERROR(Freezer(instance).Check(routes));
  Instance frozen = instance;
  frozen.frozen_ = std::make_shared<const std::vector<FrozenRoute>>(std::move(routes));
  return frozen;
}

}  // namespace vrp
