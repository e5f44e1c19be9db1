#include "core/solve/unserved.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/problem/checker/checker_route.h"
#include "core/problem/instance/customer_rules.h"
#include "core/search/model/problem.h"

namespace vrp {
namespace {

// A finder of the reasons for the unserved customers of one solution.
class Reasons {
 public:
  Reasons(const Instance& instance, const Solution& solution)
      : instance_(instance),
        data_(instance.data()),
        checker_data_(instance.data()),
        scheduler_(instance) {
    used_.assign(data_.vehicles.size(), 0);
    for (const Route& route : solution.routes) {
      if (static_cast<size_t>(route.vehicle_type) < used_.size()) ++used_[route.vehicle_type];
    }
    FindGroups(solution);
    FindRequiredAlternatives();
    if (data_.shipments.empty()) return;
    shipment_of_.assign(static_cast<size_t>(instance.num_nodes()), nullptr);
    for (const Shipment& shipment : data_.shipments) {
      shipment_of_[static_cast<size_t>(shipment.pickup)] = &shipment;
      shipment_of_[static_cast<size_t>(shipment.delivery)] = &shipment;
    }
  }

  std::string ReasonFor(NodeIndex customer) {
    if (data_.vehicles.empty()) return kNoPosition;
    single_route_ = {.vehicle_type = 0, .customers = {customer}};
    if (const Shipment* shipment = ShipmentOf(customer); shipment != nullptr) {
      single_route_.customers = {shipment->pickup, shipment->delivery};
    }
    eligible_.resize(data_.vehicles.size());
    std::iota(eligible_.begin(), eligible_.end(), 0);
    if (NoneLeft([this](const VehicleType& v) { return HasSkills(v); })) {
      return "no vehicle has its skills";
    }
    if (NoneLeft([this](const VehicleType& v) { return HasCapacity(v); })) {
      return "demand exceeds capacity";
    }
    const std::vector<int32_t> carriers = eligible_;
    std::string alone_reason;
    if (NoneLeft([this](const VehicleType&) { return InTime(VehicleTimes::kAll); })) {
      alone_reason = LatenessReason(carriers);
    } else if (NoneLeft([this](const VehicleType& v) { return WithinLimits(v); })) {
      alone_reason = "outside the limits of every vehicle";
    }
    if (!alone_reason.empty()) {
      if (!MayBeServedAlongWithOthers(customer)) return alone_reason;
      eligible_ = carriers;
    }
    if (NoneTakesItsGroup(customer)) {
      return "no vehicle can serve it along with the customers that must share its route";
    }
    if (HasPrize(customer) && !MustServeAnAlternative(customer)) return "cheaper to skip";
    return Exhausted() ? "fleet exhausted" : kNoPosition;
  }

 private:
  static constexpr const char* kNoPosition = "no feasible position found in the budget";

  const Shipment* ShipmentOf(NodeIndex node) const {
    return shipment_of_.empty() ? nullptr : shipment_of_[static_cast<size_t>(node)];
  }

  // Finds the served customers that must share a route, and the type of that route if it is frozen.
  void FindGroups(const Solution& solution) {
    std::vector<bool> served(static_cast<size_t>(instance_.num_nodes()), false);
    for (const Route& route : solution.routes) {
      for (const Stop& stop : route.stops) served[static_cast<size_t>(stop.node)] = true;
    }
    for (const std::vector<NodeIndex>& customers : SameRouteGroups(data_)) {
      Group& group = groups_.emplace_back();
      group_of_.resize(static_cast<size_t>(instance_.num_nodes()), -1);
      for (const NodeIndex node : customers) {
        group_of_[static_cast<size_t>(node)] = static_cast<int32_t>(groups_.size()) - 1;
        if (!served[static_cast<size_t>(node)]) continue;
        group.served.push_back(node);
        for (const FrozenRoute& frozen : instance_.frozen()) {
          const bool is_frozen = std::ranges::count(frozen.visits, node) > 0 ||
                                 std::ranges::count(frozen.deliveries, node) > 0;
          if (is_frozen) group.type = frozen.vehicle_type;
        }
      }
    }
  }

  bool HasPrize(NodeIndex customer) const {
    return !data_.prizes.empty() && data_.prizes[static_cast<size_t>(customer)] != kNoLimit;
  }

  // Whether the customer or its shipment is in a group that must be served.
  bool MustServeAnAlternative(NodeIndex customer) const {
    if (required_alternatives_.empty()) return false;
    const Shipment* const shipment = ShipmentOf(customer);
    const NodeIndex member = shipment == nullptr ? customer : shipment->pickup;
    return required_alternatives_[static_cast<size_t>(member)];
  }

  // A group must be served if one of its customers has no prize.
  void FindRequiredAlternatives() {
    for (const std::vector<NodeIndex>& group : data_.alternative_groups) {
      if (std::ranges::all_of(group, [this](NodeIndex node) { return HasPrize(node); })) continue;
      required_alternatives_.resize(static_cast<size_t>(instance_.num_nodes()), false);
      for (const NodeIndex node : group) required_alternatives_[static_cast<size_t>(node)] = true;
    }
  }

  // Whether no vehicle has the skills and the room for the customer along with those served that
  // must share its route. If so, the eligible types are lost.
  bool NoneTakesItsGroup(NodeIndex customer) {
    if (group_of_.empty() || group_of_[static_cast<size_t>(customer)] < 0) return false;
    const Group& group = groups_[static_cast<size_t>(group_of_[static_cast<size_t>(customer)])];
    if (group.served.empty()) return false;
    const PlannedRoute alone = single_route_;
    single_route_.customers.insert(single_route_.customers.end(), group.served.begin(),
                                   group.served.end());
    const bool none = std::ranges::none_of(eligible_, [&](int32_t type) {
      const VehicleType& vehicle = data_.vehicles[static_cast<size_t>(type)];
      return (group.type < 0 || group.type == type) && HasSkills(vehicle) &&
             std::ssize(single_route_.customers) <= vehicle.max_stops &&
             (vehicle.max_reloads > 0 || HasCapacityForAll(vehicle));
    });
    single_route_ = alone;
    return none;
  }

  // Whether the vehicle has room for all deliveries together, and for all pickups.
  bool HasCapacityForAll(const VehicleType& vehicle) const {
    for (int32_t k = 0; k < instance_.load_dimensions(); ++k) {
      double delivered = 0;
      double brought = 0;
      for (const NodeIndex node : single_route_.customers) {
        delivered += instance_.demand(node, k);
        brought += instance_.pickup(node, k) + instance_.backhaul(node, k);
      }
      if (std::max(delivered, brought) > CapacityWithRounding(LargestLoad(vehicle, k)))
        return false;
    }
    return true;
  }

  // Keeps the eligible types for which `passes` returns true. Returns whether none is left.
  template <typename Passes>
  bool NoneLeft(Passes passes) {
    std::erase_if(eligible_, [&](int32_t type) {
      single_route_.vehicle_type = type;
      return !passes(data_.vehicles[static_cast<size_t>(type)]);
    });
    return eligible_.empty();
  }

  bool HasSkills(const VehicleType& vehicle) const {
    if (data_.required_skills.empty()) return true;
    for (const NodeIndex node : single_route_.customers) {
      for (const std::string& skill : data_.required_skills[static_cast<size_t>(node)]) {
        if (std::find(vehicle.skills.begin(), vehicle.skills.end(), skill) ==
            vehicle.skills.end()) {
          return false;
        }
      }
    }
    return true;
  }

  bool HasCapacity(const VehicleType& vehicle) const {
    for (int32_t k = 0; k < instance_.load_dimensions(); ++k) {
      const double capacity = LargestLoad(vehicle, k);
      for (const NodeIndex node : single_route_.customers) {
        const Shipment* const shipment = ShipmentOf(node);
        const double shipped = shipment == nullptr ? 0 : shipment->amounts[static_cast<size_t>(k)];
        const double brought = instance_.pickup(node, k) + instance_.backhaul(node, k);
        if (std::max({instance_.demand(node, k), brought, shipped}) > capacity) return false;
      }
    }
    return true;
  }

  bool InTime(VehicleTimes times) { return scheduler_.Make(single_route_, times).feasible; }

  // Returns the reason why no vehicle of `carriers` is in time.
  std::string LatenessReason(const std::vector<int32_t>& carriers) {
    const auto in_time = [&](VehicleTimes times) {
      return std::any_of(carriers.begin(), carriers.end(), [&](int32_t type) {
        single_route_.vehicle_type = type;
        return InTime(times);
      });
    };
    if (in_time(VehicleTimes::kNoBreaks)) return "no vehicle can serve it and take its own breaks";
    if (in_time(VehicleTimes::kNoBreaksNoShift)) return "outside the shift of every vehicle";
    return "time window cannot be reached";
  }

  // Whether a vehicle may serve the customer together with others. Looks for detours for some
  // milliseconds only, because the answer is due.
  bool MayBeServedAlongWithOthers(NodeIndex customer) {
    if (!MayDetour(instance_)) return false;
    if (!problem_.has_value()) {
      const StopCondition late(absl::InfinitePast(), nullptr);
      problem_.emplace(Problem::Create(instance_, late));
    }
    const Detours& detours = problem_->detours();
    return detours.reach(problem_->UnitOf(customer)) != Detours::Reach::kNever;
  }

  // Asks the checker, which knows all limits.
  bool WithinLimits(const VehicleType& vehicle) const {
    std::vector<NodeIndex> path = {vehicle.depot};
    path.insert(path.end(), single_route_.customers.begin(), single_route_.customers.end());
    if (!vehicle.open_end) path.push_back(vehicle.end());
    std::vector<Violation> violations;
    RouteChecker(checker_data_, 0, vehicle, path, violations).Run();
    return violations.empty();
  }

  // Whether all vehicles of the eligible types are used.
  bool Exhausted() const {
    return std::all_of(eligible_.begin(), eligible_.end(), [this](int32_t type) {
      const int32_t count = data_.vehicles[static_cast<size_t>(type)].count;
      return count != 0 && used_[static_cast<size_t>(type)] >= count;
    });
  }

  // The served customers of a set that must share a route.
  struct Group {
    std::vector<NodeIndex> served = {};
    int32_t type = -1;  // the vehicle type of their frozen route; -1: they have none
  };

  const Instance& instance_;
  const InstanceData& data_;
  const CheckerData checker_data_;
  const RouteScheduler scheduler_;
  std::vector<int64_t> used_;  // number of routes by vehicle type
  std::vector<const Shipment*> shipment_of_;
  std::vector<bool> required_alternatives_;  // [N], or empty
  std::vector<Group> groups_;
  std::vector<int32_t> group_of_;  // [N], or empty
  // State for the current customer.
  PlannedRoute single_route_;
  std::vector<int32_t> eligible_;
  std::optional<Problem> problem_;  // created on first use
};

}  // namespace

Solution WithReasons(const Instance& instance, Solution solution) {
  if (solution.unserved.empty()) return solution;
  Reasons reasons(instance, solution);
  for (Unserved& unserved : solution.unserved)
    unserved.reason = reasons.ReasonFor(unserved.customer);
  return solution;
}

}  // namespace vrp
