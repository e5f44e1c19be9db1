// Routes that may break limits at a penalty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/problem.h"
#include "core/search/route/penalty_control.h"
#include "core/search/route/time_segment.h"
#include "core/search/route/undo_log.h"
#include "core/search/route/visit_place.h"

namespace vrp {

// By how much a route breaks its limits.
struct LimitExcess {
  double load = 0;      // beyond capacities, in those of the largest vehicle, and beyond stops
  double time = 0;      // beyond windows and the limit of the duration
  double distance = 0;  // beyond the limit
};

inline double operator*(const Penalties& penalties, const LimitExcess& excess) {
  return penalties.load * excess.load + penalties.time * excess.time +
         penalties.distance * excess.distance;
}

// A route for each vehicle, used or not. Not thread-safe; `problem` must outlive it and be one that
// CanPenalise.
class PenalisedRoutes {
 public:
  // Parallel arrays over the visits, the vehicle's start and end included.
  struct Route {
    int32_t type = 0;
    std::vector<NodeIndex> nodes = {};
    std::vector<double> edge = {};  // distance from nodes[i] to nodes[i + 1]
    // From the start up to nodes[i], it included: the way and, [positions, K], the load.
    std::vector<double> way = {}, loaded = {};
    // Timed only: from the start up to nodes[i], and from there to the end.
    std::vector<TimeSegment> before = {}, after = {};
    std::vector<double> load = {};  // [K]
    double distance = 0;
    double cost = 0;
    LimitExcess excess = {};

    bool empty() const { return nodes.size() <= 2; }
    int32_t size() const { return static_cast<int32_t>(nodes.size()); }
    int32_t stops() const { return size() - 2; }
  };

  explicit PenalisedRoutes(const Problem& problem);

  const Problem& problem() const { return problem_; }
  int32_t slots() const { return static_cast<int32_t>(routes_.size()); }
  const std::vector<Route>& routes() const { return routes_; }
  const Route& route(int32_t slot) const { return routes_[slot]; }
  int32_t RouteOf(NodeIndex customer) const { return places_[customer].route; }  // -1: none
  int32_t PositionOf(NodeIndex customer) const { return places_[customer].position; }
  int32_t used() const { return used_; }
  int32_t FirstOf(int32_t type) const { return first_of_[type]; }  // its first slot
  int32_t EmptyOf(int32_t type) const { return empty_of_[type]; }  // a slot; -1: all are used

  void SetPenalties(const Penalties& penalties) { penalties_ = penalties; }
  const Penalties& penalties() const { return penalties_; }
  const LimitExcess& excess() const { return excess_; }
  double PenalisedCost() const { return cost_ + penalties_ * excess_; }
  // Nothing beyond what rounding makes.
  bool Feasible() const;

  // `customers` come from this route or from none.
  void SetCustomers(int32_t slot, std::span<const NodeIndex> customers);
  std::span<const NodeIndex> CustomersOf(int32_t slot) const {
    return std::span(routes_[slot].nodes).subspan(1, routes_[slot].stops());
  }

  // All changes since Begin are undone by Rollback.
  void Begin() { undo_.Begin(); }
  void Rollback();

  double PenalisedCostOf(int32_t slot) const {
    const Route& route = routes_[slot];
    return route.empty() ? 0 : route.cost + penalties_ * route.excess;
  }
  double PenaltyOf(int32_t slot) const { return penalties_ * routes_[slot].excess; }
  // The penalised cost of what drives the first's vehicle: the first up to position `head`, then
  // `middle`, then the second from position `tail` on. 0 where that is no customer.
  double PenalisedCostOf(int32_t first, int32_t head, std::span<const NodeIndex> middle,
                         int32_t second, int32_t tail) const;
  bool Allowed(int32_t slot, std::span<const NodeIndex> customers) const;

  // What it adds to PenalisedCost that the vehicle carries a customer more, wherever.
  double LoadAdded(const Route& route, NodeIndex customer) const;
  // What a visit between positions `after` and after + 1 adds, its load apart; at least `limit`
  // where it is no less.
  double PlaceAdded(const Route& route, int32_t after, NodeIndex customer, double limit) const;

 private:
  void Measure(Route& route) const;
  double LoadExcess(const Vehicle& vehicle, const Route& route, NodeIndex more) const;
  double StopsExcess(const Vehicle& vehicle, int32_t stops) const;
  double TimeExcess(const Vehicle& vehicle, const TimeSegment& joined) const;
  void Count(const Route& route, int32_t sign);
  void KeepEmpty(int32_t slot);

  const Problem& problem_;
  bool timed_ = false;  // windows, or durations that count
  // [K]: the load whose excess is a excess of 1. That is the largest capacity, or the largest
  // delivery where no limited vehicle carries any.
  std::vector<double> load_unit_;
  Penalties penalties_;
  std::vector<Route> routes_;
  // By type.
  std::vector<int32_t> same_way_;  // the first that drives alike, from end to end
  std::vector<int32_t> first_of_, empty_of_;
  UndoLog<std::vector<NodeIndex>> undo_;  // the customers
  std::vector<TimeSegment> alone_;        // [N]
  std::vector<VisitPlace> places_;        // [N + 1]
  int32_t used_ = 0;
  double cost_ = 0;
  LimitExcess excess_;
};

// Above it an iteration's share of a plan is too small for penalised search.
inline constexpr int32_t kMaxPenalisedNodes = 500;

// Whether penalised search knows the problem: no more nodes than that, customers served one by one,
// deliveries only, one trip, single hard windows, nothing that needs a route simulated.
bool CanPenalise(const Problem& problem);

}  // namespace vrp
