// The exact value of one route, from its order alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/problem/plan/driving_labels.h"
#include "core/problem/plan/late_breaks.h"
#include "core/search/model/problem.h"

namespace vrp {

struct RouteValue {
  bool feasible = false;
  double distance = 0;
  double duration = 0;  // 0 where nothing about the vehicle asks for it, as driving
  double driving = 0;
  // The objective's part, lateness and Problem::LostPrize; Problem::route_weight is apart.
  double cost = 0;
};

// Simulates whole routes: the schedule of core/problem/plan/schedule.h (as soon as possible, then
// the latest start that delays nothing). O(visits * breaks^2), with soft windows too as LateBreaks.
// Keeps scratch space: not thread-safe. `problem` must outlive it.
class RouteEvaluator {
 public:
  explicit RouteEvaluator(const Problem& problem) : problem_(problem) {}

  // `nodes` runs from the vehicle's start to its end (nowhere() where that is open), with at least
  // one customer; shipments are complete and in order. An infeasible value says nothing else.
  RouteValue Evaluate(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  // Whether both loads [K] together, the largest of one trip, fit in the vehicle's compartments.
  bool FitCompartments(const Vehicle& vehicle, const double* load, const double* more);
  // Whether skills, loads, order and rules between customers are feasible. Further visits cannot
  // repair them.
  bool LoadsAndOrderFit(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
    return OrderAllowed(vehicle, nodes) && LoadsFit(vehicle, nodes);
  }

 private:
  bool OrderAllowed(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  // Whether no shipment is delivered while one that was picked up later is still delivered on the
  // route. A pickup whose delivery is absent does not matter.
  bool KeepsLifo(std::span<const NodeIndex> nodes);
  bool LoadsFit(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  bool CompartmentsFit(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  // Returns the cost of the soft limits that the route last simulated breaks, windows left out.
  double PenaltyOf(const Vehicle& vehicle, const RouteValue& value) const;
  // Of the trip that leaves the depot at position `at`.
  double ReleaseOf(std::span<const NodeIndex> nodes, size_t at) const;
  // Each fills begin_ with the earliest starts; false: too late somewhere. `kTimed`: the vehicle's
  // travel times depend on the departure.
  bool SimulateForward(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  template <bool kTimed>
  bool Forward(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  bool ForwardWithBreaks(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  // With breaks and soft windows: the least lateness, then the soonest end; begin_ has the start.
  bool ForwardByLateness(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  // With breaks after driving: the same from `start` on, in driving_labels_.
  bool ForwardByDriving(const Vehicle& vehicle, std::span<const NodeIndex> nodes, double start);
  void ReadStops(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  // The end of the service (the stay) at nodes[at] that begins at `begin`.
  double LeaveAt(const Vehicle& vehicle, std::span<const NodeIndex> nodes, size_t at,
                 double begin) const;
  // The latest begin at nodes[at] that lets the vehicle leave by `leave`.
  double LatestBegin(const Vehicle& vehicle, std::span<const NodeIndex> nodes, size_t at,
                     double leave) const;
  // Returns the latest start that delays nothing of the route last simulated; nullopt: that takes
  // too much work.
  std::optional<double> SimulateBackward(const Vehicle& vehicle, std::span<const NodeIndex> nodes);
  template <bool kTimed>
  double LatestStart(const Vehicle& vehicle, std::span<const NodeIndex> nodes) const;
  // The breaks that the load allows on the way to nodes[at], as of BreaksAllowedWith. After
  // LoadsFit.
  BreakSet AllowedBefore(size_t at) const { return allowed_.empty() ? kAllBreaks : allowed_[at]; }
  double LatestStartWithBreaks(const Vehicle& vehicle, std::span<const NodeIndex> nodes);

  TravelTime TravelOf(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const;
  // Returns the travel time of who leaves `from` at `departure`; `period` as TravelTime has it.
  template <bool kTimed>
  double TravelFrom(const Vehicle& vehicle, NodeIndex from, NodeIndex to, double departure,
                    size_t& period) const;
  // Sets the duration of the route last simulated and, if travel times depend on the departure, its
  // driving. Returns whether it keeps the limits of these, of waiting and of work.
  bool DurationFits(const Vehicle& vehicle, std::span<const NodeIndex> nodes, RouteValue& value);
  // Returns the time that the route drives from `start` on. With breaks after driving, sets its end
  // and its lateness. Returns nullopt if there is no way to take the breaks.
  std::optional<double> DrivingFrom(const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                                    double start);
  // Returns the sum of the travel times, which are lower bounds if they depend on the departure.
  double LeastDriving(const Vehicle& vehicle, std::span<const NodeIndex> nodes) const;
  // Returns the time that the route drives from `start` on with planned breaks.
  std::optional<double> DrivingWithBreaks(const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                                          double start);
  LateBreaks::Route BreakRoute(const Vehicle& vehicle) const;

  const Problem& problem_;
  std::vector<double> load_;
  std::vector<BreakSet> allowed_;  // per position; empty: no break has a limit on the load
  std::vector<double> shipped_;    // [K] on board of shipments, which a reload does not unload
  std::vector<double> most_load_;  // [K] of a trip
  Compartments::Scratch assigned_;
  std::vector<NodeIndex> on_board_;   // pickups in their order
  std::vector<int32_t> rule_counts_;  // for RouteRules
  std::vector<double> overload_;  // [K] of a penalised problem: the most beyond the soft capacity
  std::vector<double> begin_;  // per position; with breaks [positions, breaks + 1], by breaks taken
  std::vector<double> latest_;    // likewise, with breaks
  std::vector<TimedStop> stops_;  // with breaks and soft windows, as late_breaks_, and by driving
  LateBreaks late_breaks_;
  DrivingLabels driving_labels_;
  double late_ = 0;
  double end_ = 0;
  double driving_ = 0;  // with breaks after driving
};

}  // namespace vrp
