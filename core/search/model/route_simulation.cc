// Implements the simulations of RouteEvaluator.
#include <algorithm>
#include <optional>

#include "core/problem/plan/break_leg.h"
#include "core/problem/plan/least_driving.h"
#include "core/search/model/route_evaluator.h"

namespace vrp {
namespace {

constexpr double kNever = Problem::kNever;

std::span<const Break> Between(const std::vector<Break>& breaks, size_t first, size_t last) {
  return {breaks.data() + first, last - first};
}

}  // namespace

double RouteEvaluator::ReleaseOf(std::span<const NodeIndex> nodes, size_t at) const {
  double release = 0;
  if (!problem_.has_releases()) return release;
  for (size_t i = at + 1; i + 1 < nodes.size() && !problem_.is_depot(nodes[i]); ++i) {
    release = std::max(release, problem_.release(nodes[i]));
  }
  return release;
}

double RouteEvaluator::LeaveAt(const Vehicle& vehicle, std::span<const NodeIndex> nodes, size_t at,
                               double begin) const {
  if (at + 1 == nodes.size()) return begin;
  if (problem_.is_depot(nodes[at])) {
    return std::max(begin, ReleaseOf(nodes, at)) + problem_.service(nodes[at]);
  }
  return begin + problem_.Handling(vehicle, nodes[at - 1], nodes[at]);
}

double RouteEvaluator::LatestBegin(const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                                   size_t at, double leave) const {
  const NodeIndex node = nodes[at];
  if (problem_.is_depot(node)) return problem_.LatestOnTime(node, leave - problem_.service(node));
  const double begin = leave - problem_.Handling(vehicle, nodes[at - 1], node);
  return problem_.LatestOnTime(node, begin);
}

bool RouteEvaluator::SimulateForward(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  late_ = 0;
  if (vehicle.original->driving_rules.has_breaks()) {
    const double earliest = std::max(vehicle.leaves_from, ReleaseOf(nodes, 0));
    return ForwardByDriving(vehicle, nodes, earliest);
  }
  if (!vehicle.breaks.empty()) {
    return problem_.soft() ? ForwardByLateness(vehicle, nodes) : ForwardWithBreaks(vehicle, nodes);
  }
  return vehicle.profiles == nullptr ? Forward<false>(vehicle, nodes)
                                     : Forward<true>(vehicle, nodes);
}

std::optional<double> RouteEvaluator::SimulateBackward(const Vehicle& vehicle,
                                                       std::span<const NodeIndex> nodes) {
  if (vehicle.original->driving_rules.has_breaks()) return driving_labels_.LatestStart();
  if (!vehicle.breaks.empty()) {
    return problem_.soft() ? late_breaks_.LatestStart() : LatestStartWithBreaks(vehicle, nodes);
  }
  return vehicle.profiles == nullptr ? LatestStart<false>(vehicle, nodes)
                                     : LatestStart<true>(vehicle, nodes);
}

TravelTime RouteEvaluator::TravelOf(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
  if (vehicle.profiles == nullptr || to == problem_.nowhere()) {
    return problem_.Duration(vehicle, from, to);
  }
  return problem_.TravelTimeOf(vehicle, from, to);
}

template <bool kTimed>
double RouteEvaluator::TravelFrom(const Vehicle& vehicle, NodeIndex from, NodeIndex to,
                                  double departure, size_t& period) const {
  if constexpr (kTimed) return problem_.TravelTimeOf(vehicle, from, to).From(departure, period);
  return problem_.Duration(vehicle, from, to);
}

template <bool kTimed>
bool RouteEvaluator::Forward(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  begin_.resize(nodes.size());
  begin_[0] = std::max(vehicle.leaves_from, ReleaseOf(nodes, 0));
  if (!problem_.InTime(begin_[0], vehicle.leaves_by)) return false;
  double time = begin_[0] + problem_.service(nodes[0]);
  size_t period = 0;
  for (size_t i = 1; i < nodes.size(); ++i) {
    const NodeIndex node = nodes[i];
    if (node != problem_.nowhere()) {
      const double travel = TravelFrom<kTimed>(vehicle, nodes[i - 1], node, time, period);
      time = problem_.Earliest(node, time + travel);
      if (time == kNever) return false;
      if (problem_.soft()) late_ += problem_.LateCost(node, time);
    }
    begin_[i] = time;
    time = LeaveAt(vehicle, nodes, i, time);
    if (problem_.is_depot(node) && i + 1 < nodes.size() &&
        !problem_.InTime(time - problem_.service(node), problem_.close(node))) {
      return false;
    }
  }
  end_ = time;
  return problem_.InTime(end_, vehicle.shift_close);
}

template <bool kTimed>
double RouteEvaluator::LatestStart(const Vehicle& vehicle, std::span<const NodeIndex> nodes) const {
  double begin = end_;
  size_t period = 0;
  for (size_t i = nodes.size() - 1; i > 0; --i) {
    double leave = begin;
    if constexpr (!kTimed) {
      leave -= problem_.Duration(vehicle, nodes[i - 1], nodes[i]);
    } else if (nodes[i] != problem_.nowhere()) {
      leave = problem_.TravelTimeOf(vehicle, nodes[i - 1], nodes[i]).LatestDeparture(begin, period);
    }
    if (i == 1) return leave - problem_.service(nodes[0]);
    // A late visit stays as it is: begin_ is then the latest too.
    begin = std::max(LatestBegin(vehicle, nodes, i - 1, leave), begin_[i - 1]);
  }
  return begin;
}

double RouteEvaluator::LeastDriving(const Vehicle& vehicle,
                                    std::span<const NodeIndex> nodes) const {
  double driving = 0;
  for (size_t i = 1; i < nodes.size(); ++i) {
    driving += problem_.Duration(vehicle, nodes[i - 1], nodes[i]);
  }
  return driving;
}

std::optional<double> RouteEvaluator::DrivingFrom(const Vehicle& vehicle,
                                                  std::span<const NodeIndex> nodes, double start) {
  if (vehicle.profiles == nullptr) return LeastDriving(vehicle, nodes);
  if (vehicle.original->driving_rules.has_breaks()) {
    if (!ForwardByDriving(vehicle, nodes, start)) return std::nullopt;
    return driving_;
  }
  if (!vehicle.breaks.empty()) return DrivingWithBreaks(vehicle, nodes, start);
  double driving = 0;
  double time = start + problem_.service(nodes[0]);
  size_t period = 0;
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i] == problem_.nowhere()) break;
    const double travel = TravelFrom<true>(vehicle, nodes[i - 1], nodes[i], time, period);
    driving += travel;
    time = LeaveAt(vehicle, nodes, i, problem_.Earliest(nodes[i], time + travel));
  }
  return driving;
}

std::optional<double> RouteEvaluator::DrivingWithBreaks(const Vehicle& vehicle,
                                                        std::span<const NodeIndex> nodes,
                                                        double start) {
  ReadStops(vehicle, nodes);
  const auto placement = PlaceBreaksWithLeastDriving(BreakRoute(vehicle), start);
  if (!placement.has_value()) return std::nullopt;
  return placement->driving;
}

bool RouteEvaluator::ForwardWithBreaks(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  const std::vector<Break>& breaks = vehicle.breaks;
  const size_t labels = breaks.size() + 1;
  begin_.assign(nodes.size() * labels, kNever);
  begin_[0] = std::max(vehicle.leaves_from, ReleaseOf(nodes, 0));
  if (!problem_.InTime(begin_[0], vehicle.leaves_by)) return false;
  const double slack = problem_.time_slack();
  for (size_t i = 1; i < nodes.size(); ++i) {
    const BreakSet allowed = AllowedBefore(i);
    const bool timed = vehicle.profiles != nullptr;
    const double travel = timed ? 0 : problem_.Duration(vehicle, nodes[i - 1], nodes[i]);
    double* to = &begin_[i * labels];
    bool any = false;
    for (size_t from = 0; from < labels; ++from) {
      const double begin = begin_[(i - 1) * labels + from];
      if (begin == kNever) continue;
      const NodeIndex node = nodes[i - 1];
      const double leave =
          i == 1 ? begin + problem_.service(node) : LeaveAt(vehicle, nodes, i - 1, begin);
      if (problem_.is_depot(node) &&
          !problem_.InTime(leave - problem_.service(node), problem_.close(node))) {
        continue;
      }
      const double way = timed ? TravelOf(vehicle, nodes[i - 1], nodes[i]).From(leave) : travel;
      double time = leave;
      double left = way;
      for (size_t taken = from;; ++taken) {
        double begins = time + left;
        if (nodes[i] != problem_.nowhere()) begins = problem_.Earliest(nodes[i], begins);
        to[taken] = std::min(to[taken], begins);
        any = any || begins != kNever;
        if (taken == breaks.size() || !AllowsBreaks(allowed, taken, taken + 1)) break;
        if (!TakeBreak(breaks[taken], slack, time, left)) break;
      }
    }
    if (!any) return false;
  }
  end_ = begin_.back();
  return end_ != kNever && problem_.InTime(end_, vehicle.shift_close);
}

double RouteEvaluator::LatestStartWithBreaks(const Vehicle& vehicle,
                                             std::span<const NodeIndex> nodes) {
  const std::vector<Break>& breaks = vehicle.breaks;
  const size_t labels = breaks.size() + 1;
  latest_.assign(nodes.size() * labels, -kNever);
  latest_.back() = end_;
  const double slack = problem_.time_slack();
  for (size_t i = nodes.size() - 1; i > 0; --i) {
    const TravelTime travel = TravelOf(vehicle, nodes[i - 1], nodes[i]);
    for (size_t taken = 0; taken < labels; ++taken) {
      const double arrival = latest_[i * labels + taken];
      if (arrival == -kNever) continue;
      for (size_t from = 0; from <= taken; ++from) {
        if (!AllowsBreaks(AllowedBefore(i), from, taken)) continue;
        const auto between = Between(breaks, from, taken);
        const double leave = DepartureBefore(between, arrival, travel, slack);
        if (ArrivalAfter(between, leave, travel.From(leave), slack) > arrival + slack) continue;
        const double begin =
            i == 1 ? leave - problem_.service(nodes[0]) : LatestBegin(vehicle, nodes, i - 1, leave);
        double& latest = latest_[(i - 1) * labels + from];
        latest = std::max(latest, begin);
      }
    }
  }
  return latest_[0];
}

void RouteEvaluator::ReadStops(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  stops_.clear();
  for (size_t i = 0; i < nodes.size(); ++i) {
    TimedStop& stop = stops_.emplace_back();
    stop.breaks_before = AllowedBefore(i);
    if (nodes[i] == problem_.nowhere()) break;  // at the last stop: breaks after its service
    stop.first = problem_.FirstWindow(nodes[i]);
    if (i > 0) stop.travel = TravelOf(vehicle, nodes[i - 1], nodes[i]);
    if (i + 1 == nodes.size()) continue;
    if (problem_.is_depot(nodes[i])) stop.work = problem_.service(nodes[i]);
    if (i == 0) continue;
    if (problem_.is_depot(nodes[i])) {
      stop.first.open = std::max(stop.first.open, ReleaseOf(nodes, i));
      continue;
    }
    stop.work = problem_.Handling(vehicle, nodes[i - 1], nodes[i]);
    stop.further = problem_.FurtherWindows(nodes[i]);
  }
}

LateBreaks::Route RouteEvaluator::BreakRoute(const Vehicle& vehicle) const {
  return {.stops = stops_,
          .breaks = vehicle.breaks,
          .last_by = vehicle.shift_close - stops_.back().work,
          .tolerance = problem_.time_slack(),
          .rounding = problem_.time_slack(),
          .most_work = LateBreaks::MaxWork(stops_.size(), vehicle.breaks.size())};
}

bool RouteEvaluator::ForwardByLateness(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  ReadStops(vehicle, nodes);
  begin_.assign(1, std::max(vehicle.leaves_from, ReleaseOf(nodes, 0)));
  if (!problem_.InTime(begin_[0], vehicle.leaves_by)) return false;
  const auto outcome = late_breaks_.Run(BreakRoute(vehicle), begin_[0]);
  if (!outcome.has_value()) return false;
  late_ = outcome->late_cost;
  end_ = outcome->last + stops_.back().work;
  return true;
}

bool RouteEvaluator::ForwardByDriving(const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                                      double start) {
  ReadStops(vehicle, nodes);
  TimeWindow& at_start = stops_.front().first;
  at_start.close = std::min(at_start.close, vehicle.leaves_by);
  begin_.assign(1, start);
  if (!problem_.InTime(begin_[0], vehicle.leaves_by)) return false;
  const DrivingLabels::Route route = {
      .stops = stops_,
      .breaks = vehicle.breaks,
      .rules = &vehicle.original->driving_rules,
      .last_by = vehicle.shift_close - stops_.back().work,
      .tolerance = problem_.time_slack(),
      .rounding = problem_.time_slack(),
      .most_work = DrivingLabels::MaxWork(stops_.size(), vehicle.breaks.size())};
  const auto outcome = driving_labels_.Run(route, start);
  if (!outcome.has_value()) return false;
  late_ = outcome->late_cost;
  driving_ = outcome->driving;
  end_ = outcome->last + stops_.back().work;
  return true;
}

}  // namespace vrp
