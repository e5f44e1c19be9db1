// The instance as the search's inner loops read it: flat arrays, neighbour lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"
#include "core/search/model/detours.h"
#include "core/search/model/neighbour_lists.h"
#include "core/search/model/node_loads.h"
#include "core/search/model/node_times.h"
#include "core/search/model/penalties.h"
#include "core/search/model/route_rules.h"
#include "core/search/model/skills.h"
#include "core/search/model/travel.h"
#include "core/search/model/unit.h"
#include "core/search/model/vehicle.h"

namespace vrp {

// Immutable after Create, but for the penalties of a Penalised copy; thread-safe. To the plain
// members of Travel and NodeLoads, and to those for plain problems here, only the first vehicle
// type counts.
class Problem : public NodeTimes, public NodeLoads, public Travel {
 public:
  static constexpr int32_t kScanAllNodes = 150;  // up to here every place of a plan is looked at

  // Returns soon after `stop` holds: neighbour lists may be empty then, and units kUnknown
  // (Detours::Create has the bound); all else is complete. `samples` guide Related
  // (GuideLists).
  static Problem Create(const Instance& instance, const StopCondition& stop,
                        std::span<const Plan> samples = {});

  // Returns a copy whose routes may break capacities, windows, shifts and limits of durations and
  // distances, at a cost. It ignores the number of routes in the objective. Knows problems that are
  // not plain(). This must outlive the copy.
  Problem Penalised(const Penalties& penalties) const;
  // Sets the penalties of such a copy; its routes have to be measured again.
  void SetPenalties(const Penalties& penalties);
  bool penalised() const { return penalised_; }
  const Penalties& penalties() const { return penalties_; }

  int32_t depots() const { return depots_; }
  bool is_depot(NodeIndex node) const { return node < depots_; }
  const std::vector<Vehicle>& vehicles() const { return vehicles_; }
  const Vehicle& vehicle(int32_t type) const { return vehicles_[type]; }
  // The type that an instance's type became.
  int32_t TypeOf(int32_t instance_type) const { return type_of_[instance_type]; }
  int32_t instance_types() const { return static_cast<int32_t>(type_of_.size()); }
  const std::vector<FrozenSearchRoute>& frozen() const { return frozen_; }
  bool has_reloads() const { return has_reloads_; }  // some vehicle may
  bool Allowed(const Vehicle& vehicle, NodeIndex node) const {
    return skills_.Allowed(vehicle, node);
  }
  const Skills& skills() const { return skills_; }
  const RouteRules& rules() const { return rules_; }
  // Cost of each route, beyond any saving, where fewer routes are better; else 0.
  double route_weight() const { return route_weight_; }
  double epsilon() const { return epsilon_; }  // differences of costs below this are rounding
  // From the first vehicle's start.
  double DepotDistance(NodeIndex node) const {
    return Distance(vehicles_.front(), vehicles_.front().start, node);
  }
  // Time at the node before and during service, for who comes from `from`.
  double Handling(const Vehicle& vehicle, NodeIndex from, NodeIndex node) const {
    if (setup_.empty()) return service_[node];
    if (vehicle.times != nullptr) return OwnHandling(vehicle, from, node);
    if (setup_[node] == 0) return service_[node];
    const bool elsewhere = Distance(vehicle, from, node) != 0 || Duration(vehicle, from, node) != 0;
    return service_[node] + (elsewhere ? setup_[node] : 0);
  }

  int32_t units() const { return static_cast<int32_t>(units_.size()); }
  const std::vector<Unit>& all_units() const { return units_; }
  const Unit& unit(int32_t index) const { return units_[index]; }
  int32_t UnitOf(NodeIndex customer) const { return unit_of_[customer]; }
  // Returns the other end of the shipment of `customer`; -1: of none, or its pickup is frozen.
  NodeIndex OtherEnd(NodeIndex customer) const {
    return other_end_.empty() ? -1 : other_end_[customer];
  }
  // Returns the delivery of the shipment that is picked up at `customer`; -1 as OtherEnd. Unlike
  // DeliveryOf, leaves out pickups that are frozen.
  NodeIndex DeliveryInUnit(NodeIndex customer) const {
    return is_pickup_.empty() || !is_pickup_[customer] ? -1 : other_end_[customer];
  }
  // Whether a shipment is delivered at `customer` whose pickup is not frozen.
  bool IsDelivery(NodeIndex customer) const {
    return OtherEnd(customer) >= 0 && !is_pickup_[customer];
  }
  // Returns the ways to serve `unit`, each a customer or the ends of a shipment.
  std::vector<std::span<const NodeIndex>> WaysToServe(const Unit& unit) const;
  // Returns the prize lost by serving `customer` instead of the alternative with the largest prize.
  double LostPrize(NodeIndex customer) const {
    return lost_prizes_.empty() ? 0 : lost_prizes_[customer];
  }
  bool has_lost_prizes() const { return !lost_prizes_.empty(); }
  std::span<const NodeIndex> NodesOf(const Unit& unit) const {
    return {unit_nodes_.data() + unit.first, static_cast<size_t>(unit.count)};
  }
  const Detours& detours() const { return detours_; }  // and which units can be served

  // Other customers, nearest first: kListed of them, kListedLarge above kScanAllNodes (above
  // kListedNodes if plain), kListedTour for a tour_only.
  static constexpr int32_t kListed = 100;
  static constexpr int32_t kListedLarge = 40;
  static constexpr int32_t kListedTour = 10;
  static constexpr int32_t kListedNodes = 501;
  std::span<const NodeIndex> Near(NodeIndex node) const { return lists_.Near(node); }
  // Other customers that make good neighbours in a route, best first: by distance, waiting and
  // lateness (Vidal et al. 2013, "A hybrid genetic algorithm with adaptive diversity management");
  // untimed as Near. Those that the samples have beside it come first.
  std::span<const NodeIndex> Related(NodeIndex node) const { return lists_.Related(node); }
  // The first node that lists hold.
  NodeIndex listed_from() const { return tour_only() ? 0 : depots_; }

  // Whether the instance IsPlain: one depot (node 0), one vehicle type.
  bool plain() const { return plain_; }
  int32_t max_routes() const { return max_routes_; }
  bool single_tour() const { return single_tour_; }  // a plain TSP: exactly one route
  // A TSP with symmetric distances, where the depot is a node like others: neighbour lists hold it
  // too.
  bool tour_only() const { return single_tour_ && symmetric(); }
  // Whether a plain problem can serve `customer` alone; who cannot be is left out of every plan.
  bool Servable(NodeIndex customer) const { return servable_[customer] != 0; }
  int32_t num_servable() const { return num_servable_; }
  // Whether a route over `customers` keeps capacity and windows, in a plain problem.
  bool RouteFeasible(std::span<const NodeIndex> customers) const;

 private:
  friend class ProblemBuilder;
  // Handling by a vehicle with times of its own.
  double OwnHandling(const Vehicle& vehicle, NodeIndex from, NodeIndex node) const;
  explicit Problem(const Instance& instance)
      : NodeTimes(instance), NodeLoads(instance), Travel(instance) {}

  int32_t depots_ = 0;
  bool plain_ = false, single_tour_ = false, has_reloads_ = false;
  int32_t max_routes_ = 0, num_servable_ = 0;
  double epsilon_ = 0, route_weight_ = 0;
  bool penalised_ = false;
  Penalties penalties_;
  std::vector<Vehicle> vehicles_;
  std::vector<int32_t> type_of_;
  std::vector<FrozenSearchRoute> frozen_;
  Skills skills_;
  RouteRules rules_;
  std::vector<Unit> units_;
  std::vector<int32_t> unit_of_;
  std::vector<NodeIndex> unit_nodes_;
  std::vector<double> lost_prizes_;   // [N + 1], or empty where all are 0
  std::vector<NodeIndex> other_end_;  // [N], or empty without shipments; likewise is_pickup_
  std::vector<char> is_pickup_;
  NeighbourLists lists_;
  Detours detours_;
  std::vector<char> servable_;  // [N]
};

}  // namespace vrp
