// Routes of a rich problem that may break limits, at a price.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/rich/rich_problem.h"
#include "core/search/route/penalty_control.h"
#include "core/search/route/time_segment.h"
#include "core/search/route/undo_log.h"
#include "core/search/visit_place.h"

namespace vrp {

// What a route breaks.
struct Breach {
  double load = 0;      // beyond capacities, in those of the largest vehicle, and beyond stops
  double time = 0;      // beyond windows and the limit of the duration
  double distance = 0;  // beyond the limit
};

inline double operator*(const Penalties& prices, const Breach& breach) {
  return prices.load * breach.load + prices.time * breach.time + prices.distance * breach.distance;
}

// A route for each vehicle, used or not. Not thread-safe; `problem` must outlive it and be one that
// CanRelax.
class RelaxedRoutes {
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
    Breach breach = {};

    bool empty() const { return nodes.size() <= 2; }
    int32_t size() const { return static_cast<int32_t>(nodes.size()); }
    int32_t stops() const { return size() - 2; }
  };

  explicit RelaxedRoutes(const RichProblem& problem);

  const RichProblem& problem() const { return problem_; }
  int32_t slots() const { return static_cast<int32_t>(routes_.size()); }
  const std::vector<Route>& routes() const { return routes_; }
  const Route& route(int32_t slot) const { return routes_[slot]; }
  int32_t RouteOf(NodeIndex customer) const { return places_[customer].route; }  // -1: none
  int32_t PositionOf(NodeIndex customer) const { return places_[customer].position; }
  int32_t used() const { return used_; }
  int32_t FirstOf(int32_t type) const { return first_of_[type]; }  // its first slot
  int32_t EmptyOf(int32_t type) const { return empty_of_[type]; }  // a slot; -1: all are used

  void SetPrices(const Penalties& prices) { prices_ = prices; }
  const Penalties& prices() const { return prices_; }
  const Breach& breach() const { return breach_; }
  double PricedCost() const { return cost_ + prices_ * breach_; }
  // Nothing beyond what rounding makes.
  bool Whole() const;

  // `customers` come from this route or from none.
  void SetCustomers(int32_t slot, std::span<const NodeIndex> customers);
  std::span<const NodeIndex> CustomersOf(int32_t slot) const {
    return std::span(routes_[slot].nodes).subspan(1, routes_[slot].stops());
  }

  // All changes since Begin are undone by Rollback.
  void Begin() { undo_.Begin(); }
  void Rollback();

  double PricedCostOf(int32_t slot) const {
    const Route& route = routes_[slot];
    return route.empty() ? 0 : route.cost + prices_ * route.breach;
  }
  double PenaltyOf(int32_t slot) const { return prices_ * routes_[slot].breach; }
  // The priced cost of what drives the first's vehicle: the first up to position `head`, then
  // `middle`, then the second from position `tail` on. 0 where that is no customer.
  double PricedCostOf(int32_t first, int32_t head, std::span<const NodeIndex> middle,
                      int32_t second, int32_t tail) const;
  bool Allowed(int32_t slot, std::span<const NodeIndex> customers) const;

  // What it adds to PricedCost that the vehicle carries a customer more, wherever.
  double LoadAdded(const Route& route, NodeIndex customer) const;
  // What a visit between positions `after` and after + 1 adds, its load apart; at least `limit`
  // where it is no less.
  double PlaceAdded(const Route& route, int32_t after, NodeIndex customer, double limit) const;

 private:
  void Measure(Route& route) const;
  double LoadBreach(const RichVehicle& vehicle, const Route& route, NodeIndex more) const;
  double StopsBreach(const RichVehicle& vehicle, int32_t stops) const;
  double TimeBreach(const RichVehicle& vehicle, const TimeSegment& whole) const;
  void Count(const Route& route, int32_t sign);
  void KeepEmpty(int32_t slot);

  const RichProblem& problem_;
  bool timed_ = false;  // windows, or durations that count
  // [K]: the load whose excess is a breach of 1. That is the largest capacity, or the largest
  // delivery where no limited vehicle carries any.
  std::vector<double> load_unit_;
  Penalties prices_;
  std::vector<Route> routes_;
  // By type.
  std::vector<int32_t> same_way_;  // the first that drives alike, from end to end
  std::vector<int32_t> first_of_, empty_of_;
  UndoLog<std::vector<NodeIndex>> undo_;  // the customers
  std::vector<TimeSegment> alone_;        // [N]
  std::vector<VisitPlace> places_;        // [N + 1]
  int32_t used_ = 0;
  double cost_ = 0;
  Breach breach_;
};

// Above it an iteration's share of a plan is too small for the search that prices limits.
inline constexpr int32_t kMostRelaxedNodes = 500;

// Whether the problem is one whose limits can be priced: no more nodes than that, customers served
// one by one, deliveries only, one trip, single hard windows, nothing that needs a route simulated.
bool CanRelax(const RichProblem& problem);

}  // namespace vrp
