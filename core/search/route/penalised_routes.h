// Routes that may break limits at a penalty: what searches among infeasible plans improve.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/model/problem.h"
#include "core/search/route/penalised_route.h"
#include "core/search/route/penalty_control.h"
#include "core/search/route/time_segment.h"
#include "core/search/route/undo_log.h"
#include "core/search/route/vehicle_edges.h"

namespace vrp {

// A route for each vehicle, used or not. Not thread-safe; `problem` must outlive it and be one that
// CanPenalise.
class PenalisedRoutes {
 public:
  using Visit = PenalisedVisit;
  using Route = PenalisedRoute;
  using Parts = PenalisedParts;

  // `counts` has the routes of each type; empty: as many as there are vehicles that could be used.
  explicit PenalisedRoutes(const Problem& problem, std::span<const int32_t> counts = {});

  const Problem& problem() const { return problem_; }
  int32_t slots() const { return static_cast<int32_t>(routes_.size()); }
  const std::vector<Route>& routes() const { return routes_; }
  const Route& route(int32_t slot) const { return routes_[slot]; }
  const Visit& visit(NodeIndex customer) const { return visits_[customer]; }
  int32_t RouteOf(NodeIndex customer) const { return visits_[customer].route; }  // -1: none
  int32_t PositionOf(NodeIndex customer) const { return visits_[customer].position; }
  std::span<const NodeIndex> CustomersOf(int32_t slot) const {
    return std::span(routes_[slot].nodes).subspan(1, routes_[slot].stops());
  }
  int32_t FirstOf(int32_t type) const { return first_of_[type]; }  // its first slot
  int32_t CountOf(int32_t type) const { return first_of_[type + 1] - first_of_[type]; }
  int32_t EmptyOf(int32_t type) const;  // a slot; -1: all are used
  int32_t used() const;

  // Those that some route can serve.
  const std::vector<NodeIndex>& customers() const { return customers_; }
  double demand(NodeIndex node) const { return demand_[node]; }  // in the first dimension
  double prize(NodeIndex node) const { return prizes_.empty() ? 0 : prizes_[node]; }
  bool optional(NodeIndex node) const { return !prizes_.empty() && optional_[node] != 0; }
  bool IsEnd(NodeIndex node) const {
    return static_cast<uint32_t>(node - depots_) >= num_customers_;
  }
  bool Allowed(int32_t slot, std::span<const NodeIndex> customers) const {
    return !has_skills_ || HasSkills(problem_.vehicle(routes_[slot].type), customers);
  }

  // The largest capacity in the first dimension, or the largest demand where there is none.
  double load_unit() const { return load_unit_[0]; }

  const VehicleEdges& edges() const { return edges_; }
  double Edge(int32_t slot, NodeIndex from, NodeIndex to) const {
    return routes_[slot].edges[from * edges_.stride() + to];
  }
  // What it adds to the edges' cost that vehicle `type` drives the customers of a route from
  // `first` on, not counting the edges at either end. kNever where their ways are unlike.
  double Retyped(int32_t type, const Route& route, NodeIndex first) const;

  // Which data there are. Alike: all vehicles are the same and return to where they start, none has
  // a fixed cost, and every customer is required.
  bool alike() const { return alike_; }
  bool timed() const { return timed_; }  // windows, or durations that count
  // Edges, and loads in the first dimension, are all that makes a route dearer.
  bool simple() const { return simple_; }

  void SetPenalties(const Penalties& penalties);
  const Penalties& penalties() const { return penalties_; }
  double LoadPenalty(const Route& route, double load) const {
    return load <= route.capacity ? 0 : (load - route.capacity) * penalties_.load;
  }
  // What such a route costs beyond its edges. O(middle), and the tail's length where the vehicles
  // do not drive alike.
  double ExtraCost(const Parts& parts) const;
  double ExtraCost(const Route& route) const {
    return route.empty() ? 0 : route.fixed + route.penalty;
  }

  // `nodes` has a start and an end, which become the vehicle's; the others come from this route, no
  // route, or routes that are set next. `when` is what Route::changed becomes; 0: a new change.
  void SetRoute(int32_t slot, std::span<const NodeIndex> nodes, int64_t when = 0);
  void SetCustomers(int32_t slot, std::span<const NodeIndex> customers, int64_t when = 0);
  void Clear();  // empties all routes
  // Counts the changes; further ones come with a higher count.
  int64_t changes() const { return changes_; }
  int64_t NewChange() { return ++changes_; }
  // Sets `changed` of the routes that are not feasible.
  void MarkInfeasible();

  // All changes since Begin are undone by Rollback.
  void Begin() { undo_.Begin(); }
  void Rollback();

  double Cost() const;  // prizes that are lost included
  LimitExcess Excess() const;
  double PenalisedCost() const;
  bool Feasible() const;  // nothing beyond what rounding makes

 private:
  struct Extra {
    LimitExcess excess;
    double waiting = 0;
  };
  struct Way {
    double distance = 0;
    double duration = 0;  // with the service
  };
  bool HasSkills(const Vehicle& vehicle, std::span<const NodeIndex> customers) const;
  void ReadNodes();
  void SetFlags();
  Extra ExtraOf(const Parts& parts) const;
  // The last of the tail's route who is not in the tail; a depot: nobody.
  NodeIndex LastLeft(const Parts& parts) const;
  double FirstLoad(const Parts& parts) const;  // in the first dimension
  double LoadExcess(const Parts& parts) const;
  TimeSegment Times(const Parts& parts) const;
  Way WayOf(const Parts& parts) const;
  void AddWay(int32_t type, NodeIndex from, NodeIndex to, Way& way) const;
  // Whether the tail takes the vehicle as long as the one whose route it is from.
  bool DrivesTail(const Parts& parts) const;
  template <typename VisitFn>
  void ForTail(const Parts& parts, VisitFn visit) const;
  void Measure(Route& route, int32_t slot);
  void MeasureTimes(const Route& route);

  const Problem& problem_;
  VehicleEdges edges_;
  NodeIndex depots_;
  uint32_t num_customers_;  // nodes that are no depots
  bool alike_ = false, timed_ = false, simple_ = false, has_skills_ = false;
  bool measures_ways_ = false;      // distances and durations beside costs
  bool loads_and_windows_ = false;  // nothing but these makes a route dearer than its edges
  Penalties penalties_;
  std::vector<Route> routes_;
  std::vector<Visit> visits_;  // [N + 1]; those of depots stay as they are
  std::vector<Way> ways_;      // [N + 1], as Visit::load
  std::vector<double> more_;   // [N + 1, K - 1]: loads in the further dimensions, as Visit::load
  std::vector<double> load_unit_;  // [K]: so much counts as one in the first dimension
  // [N + 1], timed only: from the start to a node, from it to the end, and it alone.
  std::vector<TimeSegment> before_, after_, alone_;
  // By type.
  std::vector<TimeSegment> start_, end_;
  std::vector<int32_t> drives_as_;  // the first type that drives alike, from end to end
  std::vector<int32_t> first_of_;
  std::vector<NodeIndex> customers_;
  std::vector<double> demand_, prizes_;  // [N]
  std::vector<char> optional_;           // [N]
  double edge_cost_ = 0;                 // of all routes
  double lost_prizes_ = 0;
  int64_t changes_ = 0;
  UndoLog<std::vector<NodeIndex>> undo_;  // nodes
  std::vector<NodeIndex> filled_;
};

// Above it an iteration's share of a plan is too small for penalised search.
inline constexpr int32_t kMaxPenalisedNodes = 500;

// Whether searches with penalties know the problem: customers served one by one, deliveries only,
// one trip, single hard windows, no compartments, nothing that needs a route simulated; and few
// enough vehicles.
bool CanPenalise(const Problem& problem);

}  // namespace vrp
