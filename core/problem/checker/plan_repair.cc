#include "core/problem/checker/plan_repair.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/problem/checker/checker_data.h"
#include "core/problem/checker/checker_route.h"

namespace vrp {
namespace {

// The violations and the distance of a route, by which removals compare.
struct Excess {
  double amount = 0;  // sum over all violations
  double distance = 0;
  std::string first_message = {};  // message of the first violation; empty if there is none

  bool operator<(const Excess& other) const {
    if (first_message.empty() != other.first_message.empty()) return first_message.empty();
    return std::pair(amount, distance) < std::pair(other.amount, other.distance);
  }
};

struct Removal {
  size_t at = 0;
  std::string reason = {};
};

// A repairer of one route. All arguments must outlive the repairer.
class RouteRepair {
 public:
  // `other_end` [N]: the other customer of each customer's shipment, or -1.
  RouteRepair(const Instance& instance, const CheckerData& data,
              const std::vector<NodeIndex>& other_end, const PlannedRoute& route)
      : data_(data), vehicle_(VehicleOf(instance, route)), visits_(route.customers) {
    for (const FrozenRoute& frozen : instance.frozen()) {
      const auto& begin = frozen.visits;
      if (frozen.vehicle_type == route.vehicle_type && visits_.size() >= begin.size() &&
          std::equal(begin.begin(), begin.end(), visits_.begin())) {
        frozen_ = &frozen;
      }
    }
    for (size_t i = 0; frozen_ != nullptr && i < frozen_->deliveries.size(); ++i) {
      const NodeIndex node = frozen_->deliveries[i];
      if (IndexOf(node) == visits_.size()) visits_.push_back(node);
    }
    kept_.assign(visits_.size(), 1);
    for (const NodeIndex node : visits_) {
      const NodeIndex other = data.is_depot(node) ? -1 : other_end[static_cast<size_t>(node)];
      partner_.push_back(other < 0 ? visits_.size() : IndexOf(other));
    }
  }

  // Removes the customer permanently, unless it is frozen or the delivery of goods on board.
  void Drop(NodeIndex customer, const std::string& reason) {
    const size_t at = IndexOf(customer);
    if (!MayRemove(at) || !kept_[at]) return;
    kept_[at] = 0;
    dropped_.push_back({at, reason});
  }

  bool Keeps(NodeIndex customer) const {
    const size_t at = IndexOf(customer);
    return at < visits_.size() && kept_[at];
  }
  // Whether the route must serve the customer.
  bool IsBound(NodeIndex customer) const {
    if (frozen_ == nullptr) return false;
    const size_t at = IndexOf(customer);
    return at < visits_.size() && !MayRemove(at);
  }

  void Run(const StopCondition& stop) {
    std::vector<Removal> removals;
    for (Excess now = Measure(); !now.first_message.empty(); now = Measure()) {
      const std::optional<size_t> at = BestRemoval(stop);
      if (!at.has_value() && !RemoveHalf(now.first_message, removals)) {
        as_frozen_ = frozen_ != nullptr;
        break;
      }
      if (at.has_value()) Remove(*at, now.first_message, removals);
    }
    for (const Removal& removal : removals) {
      if (removals.size() > 1 && !stop.ShouldStop() && FitsAgain(removal.at)) continue;
      dropped_.push_back(removal);
      const size_t partner = partner_[removal.at];
      if (partner < visits_.size()) dropped_.push_back({partner, removal.reason});
    }
  }

  // Returns the kept visits, without reloads that have no customer before or after them. A first
  // reload may unload the initial load.
  std::vector<NodeIndex> Kept() const {
    std::vector<NodeIndex> kept;
    if (as_frozen_) {
      kept = frozen_->visits;
      kept.insert(kept.end(), frozen_->deliveries.begin(), frozen_->deliveries.end());
      return kept;
    }
    for (size_t at = 0; at < visits_.size(); ++at) {
      const bool after_empty_trip =
          kept.empty() ? !vehicle_.MayUnloadFirst() : data_.is_depot(kept.back());
      const bool idle = data_.is_depot(visits_[at]) && after_empty_trip;
      if (kept_[at] && !idle) kept.push_back(visits_[at]);
    }
    if (!kept.empty() && data_.is_depot(kept.back())) kept.pop_back();
    return kept;
  }

  void ReportTo(std::vector<RemovedVisit>& removed, int32_t route) const {
    for (const Removal& removal : dropped_) {
      removed.push_back(
          {.route = route, .customer = visits_[removal.at], .reason = removal.reason});
    }
  }

 private:
  // Returns the index of the visit of `node`; visits_.size() if there is none.
  size_t IndexOf(NodeIndex node) const {
    return static_cast<size_t>(std::find(visits_.begin(), visits_.end(), node) - visits_.begin());
  }

  bool MayRemove(size_t at) const {
    if (at >= visits_.size() || data_.is_depot(visits_[at])) return false;
    if (frozen_ == nullptr) return true;
    const auto& on_board = frozen_->deliveries;
    return at >= frozen_->visits.size() &&
           std::find(on_board.begin(), on_board.end(), visits_[at]) == on_board.end();
  }

  void SetKept(size_t at, char kept) {
    kept_[at] = kept;
    if (partner_[at] < visits_.size()) kept_[partner_[at]] = kept;
  }

  void Remove(size_t at, const std::string& reason, std::vector<Removal>& removals) {
    SetKept(at, 0);
    removals.push_back({at, reason});
  }

  bool FitsAgain(size_t at) {
    SetKept(at, 1);
    if (Measure().first_message.empty()) return true;
    SetKept(at, 0);
    return false;
  }

  Excess Measure() const {
    Excess excess;
    const std::vector<NodeIndex> kept = Kept();
    if (kept.empty()) return excess;
    std::vector<NodeIndex> path = {vehicle_.depot};
    path.insert(path.end(), kept.begin(), kept.end());
    if (!vehicle_.open_end) path.push_back(vehicle_.end());
    std::vector<Violation> violations;
    excess.distance = RouteChecker(data_, 0, vehicle_, path, violations).Run().distance;
    for (const Violation& violation : violations) excess.amount += violation.amount;
    if (violations.empty()) return excess;
    const std::string& message = violations.front().message;
    excess.first_message = message.substr(message.find(": ") + 2);
    return excess;
  }

  // Returns the visit whose removal leaves the least violation; nullopt if no visit may be removed,
  // or once `stop` fires.
  std::optional<size_t> BestRemoval(const StopCondition& stop) {
    std::optional<size_t> best;
    Excess least;
    for (size_t at = 0; at < visits_.size(); ++at) {
      if (!kept_[at] || !MayRemove(at)) continue;
      if (stop.ShouldStop()) return std::nullopt;
      SetKept(at, 0);
      Excess excess = Measure();
      SetKept(at, 1);
      if (best.has_value() && !(excess < least)) continue;
      best = at;
      least = std::move(excess);
    }
    return best;
  }

  // Removes the last half of the removable visits. Returns whether there were any.
  bool RemoveHalf(const std::string& reason, std::vector<Removal>& removals) {
    std::vector<size_t> left;
    for (size_t at = 0; at < visits_.size(); ++at) {
      if (kept_[at] && MayRemove(at)) left.push_back(at);
    }
    for (size_t i = left.size() / 2; i < left.size(); ++i) {
      if (kept_[left[i]]) Remove(left[i], reason, removals);
    }
    return !left.empty();
  }

  const CheckerData& data_;
  const VehicleType& vehicle_;
  std::vector<NodeIndex> visits_;
  std::vector<size_t> partner_;  // by visit: the other visit of its shipment; visits_.size(): none
  std::vector<char> kept_;       // by visit
  std::vector<Removal> dropped_;
  const FrozenRoute* frozen_ = nullptr;  // the beginning of the route, if it is frozen
  bool as_frozen_ = false;               // whether only the frozen visits and deliveries are kept
};

class PlanRepair {
 public:
  PlanRepair(const Instance& instance, const Plan& plan)
      : instance_(instance),
        data_(instance.data()),
        plan_(plan),
        other_end_(static_cast<size_t>(instance.num_nodes()), -1),
        visits_(static_cast<size_t>(instance.num_nodes())) {
    for (const Shipment& shipment : instance.data().shipments) {
      other_end_[static_cast<size_t>(shipment.pickup)] = shipment.delivery;
      other_end_[static_cast<size_t>(shipment.delivery)] = shipment.pickup;
    }
    for (size_t r = 0; r < plan.size(); ++r) {
      routes_.emplace_back(instance, data_, other_end_, plan[r]);
      for (size_t i = 0; i < plan[r].customers.size(); ++i) {
        visits_[static_cast<size_t>(plan[r].customers[i])] = {static_cast<int64_t>(r), i};
      }
    }
  }

  RepairedPlan Run(const StopCondition& stop) {
    DropBrokenShipments();
    DropAlternatives();
    DropApart();
    RepairedPlan repaired;
    for (size_t r = 0; r < plan_.size(); ++r) {
      routes_[r].Run(stop);
      repaired.plan.push_back(
          {.vehicle_type = plan_[r].vehicle_type, .customers = routes_[r].Kept()});
      routes_[r].ReportTo(repaired.removed, static_cast<int32_t>(r));
    }
    return repaired;
  }

 private:
  // The position of a customer's visit in the plan.
  struct Visit {
    int64_t route = -1;
    size_t index = 0;
  };
  Visit VisitOf(NodeIndex node) const { return visits_[static_cast<size_t>(node)]; }

  void Drop(NodeIndex node, const std::string& reason) {
    const Visit visit = VisitOf(node);
    if (visit.route >= 0) routes_[static_cast<size_t>(visit.route)].Drop(node, reason);
  }

  void DropBrokenShipments() {
    for (const Shipment& shipment : instance_.data().shipments) {
      const Visit from = VisitOf(shipment.pickup);
      const Visit to = VisitOf(shipment.delivery);
      if (from.route == to.route && (from.route < 0 || from.index < to.index)) continue;
      Drop(shipment.pickup, "its delivery does not follow in the same route");
      Drop(shipment.delivery, "its pickup does not precede it in the same route");
    }
  }

  void DropAlternatives() {
    for (const std::vector<NodeIndex>& group : instance_.data().alternative_groups) {
      std::vector<NodeIndex> visited;
      for (const NodeIndex node : group) {
        if (VisitOf(node).route >= 0) visited.push_back(node);
      }
      // Puts a frozen visit first, because the loop keeps the first visit. At most one customer
      // of a group is frozen.
      const auto frozen = std::find_if(visited.begin(), visited.end(),
                                       [&](NodeIndex node) { return IsFrozen(node); });
      if (frozen != visited.end()) std::iter_swap(visited.begin(), frozen);
      for (size_t i = 1; i < visited.size(); ++i) {
        Drop(visited[i], "another of its alternatives is visited");
        const NodeIndex delivery = other_end_[static_cast<size_t>(visited[i])];
        if (delivery >= 0) Drop(delivery, "another of its alternatives is visited");
      }
    }
  }

  // Keeps customers that must share a route on one route only: the route to which one of them is
  // bound, or else the route that has the most of them.
  void DropApart() {
    for (const std::vector<NodeIndex>& customers : data_.together()) {
      std::map<int64_t, int64_t> visits;
      for (const NodeIndex node : customers) {
        const int64_t route = VisitOf(node).route;
        if (route >= 0 && routes_[static_cast<size_t>(route)].Keeps(node)) ++visits[route];
      }
      int64_t kept = -1;
      for (size_t r = 0; r < routes_.size() && kept < 0; ++r) {
        for (const NodeIndex node : customers) {
          if (routes_[r].IsBound(node)) kept = static_cast<int64_t>(r);
        }
      }
      const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
      if (kept < 0 && !visits.empty()) {
        kept = std::max_element(visits.begin(), visits.end(), fewer)->first;
      }
      for (const NodeIndex node : customers) {
        if (VisitOf(node).route != kept) {
          Drop(node, "it must share a route with customers on another one");
        }
      }
    }
  }

  bool IsFrozen(NodeIndex node) const {
    const auto frozen = instance_.frozen();
    return std::any_of(frozen.begin(), frozen.end(), [&](const FrozenRoute& route) {
      return std::find(route.visits.begin(), route.visits.end(), node) != route.visits.end();
    });
  }

  const Instance& instance_;
  const CheckerData data_;
  const Plan& plan_;
  std::vector<NodeIndex> other_end_;  // [N]
  std::vector<Visit> visits_;         // [N]
  std::vector<RouteRepair> routes_;
};

}  // namespace

RepairedPlan RepairPlan(const Instance& instance, const Plan& plan, const StopCondition& stop) {
  return PlanRepair(instance, plan).Run(stop);
}

}  // namespace vrp
