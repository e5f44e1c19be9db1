#include "core/search/model/route_evaluator.h"

#include <algorithm>
#include <optional>

#include "core/problem/plan/break_leg.h"

namespace vrp {
namespace {

constexpr double kNever = Problem::kNever;
// Rounding of a route's waiting, as a share of its duration. The checker allows twice as much.
constexpr double kWaitingSlack = 5e-10;

std::span<const Break> Between(const std::vector<Break>& breaks, size_t first, size_t last) {
  return {breaks.data() + first, last - first};
}

// Whether the waiting within that duration, which is neither travel, work nor breaks, exceeds the
// vehicle's limit.
bool WaitsTooLong(const Problem& problem, const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                  double duration) {
  if (vehicle.original->max_waiting == kNoLimit) return false;
  double waiting = duration * (1 - kWaitingSlack);
  for (size_t i = 1; i < nodes.size(); ++i) {
    waiting -= problem.Duration(vehicle, nodes[i - 1], nodes[i]);
    if (i + 1 == nodes.size() || problem.is_depot(nodes[i])) continue;
    waiting -= problem.Handling(vehicle, nodes[i - 1], nodes[i]);
  }
  for (const Break& pause : vehicle.breaks) waiting -= pause.duration;
  return !problem.InTime(waiting, vehicle.original->max_waiting);
}

// Whether the route exceeds the limits of driving, or of driving and work.
bool WorksTooLong(const Problem& problem, const Vehicle& vehicle,
                  std::span<const NodeIndex> nodes) {
  const DrivingRules& rules = vehicle.original->driving_rules;
  if (rules.max_driving == kNoLimit && rules.max_work == kNoLimit) return false;
  double driving = 0;
  double work = 0;
  for (size_t i = 1; i < nodes.size(); ++i) {
    driving += problem.Duration(vehicle, nodes[i - 1], nodes[i]);
    if (i + 1 == nodes.size() || problem.is_depot(nodes[i])) continue;
    work += problem.Handling(vehicle, nodes[i - 1], nodes[i]);
  }
  return driving > WithSlack(rules.max_driving) || driving + work > WithSlack(rules.max_work);
}

}  // namespace

RouteValue RouteEvaluator::Evaluate(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  RouteValue value;
  if (!OrderAllowed(vehicle, nodes)) return value;
  for (size_t i = 1; i < nodes.size(); ++i) {
    value.distance += problem_.Distance(vehicle, nodes[i - 1], nodes[i]);
  }
  if (value.distance > vehicle.distance_limit || !LoadsFit(vehicle, nodes)) return value;
  const bool breaks = !vehicle.breaks.empty();
  late_ = 0;
  if (WorksTooLong(problem_, vehicle, nodes)) return value;
  const bool driving = vehicle.original->driving_rules.has_breaks();
  const bool labels = breaks && problem_.soft();
  if (!(driving  ? ForwardByDriving(vehicle, nodes)
        : labels ? ForwardByLateness(vehicle, nodes)
        : breaks ? ForwardWithBreaks(vehicle, nodes)
                 : Forward(vehicle, nodes))) {
    return value;
  }
  if (vehicle.needs_duration) {
    const std::optional<double> latest = driving  ? driving_labels_.LatestStart()
                                         : labels ? late_breaks_.LatestStart()
                                         : breaks ? LatestStartWithBreaks(vehicle, nodes)
                                                  : LatestStart(vehicle, nodes);
    if (!latest.has_value()) return value;
    value.duration = end_ - std::max(begin_[0], std::min(*latest, vehicle.leaves_by));
    if (!problem_.InTime(value.duration, vehicle.duration_limit) ||
        WaitsTooLong(problem_, vehicle, nodes, value.duration)) {
      return value;
    }
  }
  value.cost = vehicle.fixed + vehicle.per_distance * value.distance +
               vehicle.TimeCost(value.duration) + late_;
  if (problem_.penalised()) value.cost += PenaltyOf(vehicle, value);
  value.feasible = true;
  return value;
}

bool RouteEvaluator::OrderAllowed(const Vehicle& vehicle, std::span<const NodeIndex> nodes) const {
  int32_t stops = 0;
  int32_t reloads = 0;
  bool backhaul = false;
  for (const NodeIndex node : nodes.subspan(1, nodes.size() - 2)) {
    if (problem_.is_depot(node)) {
      ++reloads;
      backhaul = false;
      continue;
    }
    ++stops;
    if (!problem_.Allowed(vehicle, node)) return false;
    if (backhaul && problem_.is_linehaul(node)) return false;
    backhaul = backhaul || problem_.is_backhaul(node);
  }
  return stops <= vehicle.max_stops && reloads <= vehicle.max_reloads;
}

bool RouteEvaluator::LoadsFit(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  const int32_t dimensions = problem_.dimensions();
  load_.resize(dimensions);
  const bool penalised = problem_.penalised();
  if (penalised) overload_.assign(dimensions, 0.0);
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (problem_.is_depot(nodes[i])) {
      std::fill(load_.begin(), load_.end(), 0.0);
      for (size_t j = i + 1; j + 1 < nodes.size() && !problem_.is_depot(nodes[j]); ++j) {
        for (int32_t k = 0; k < dimensions; ++k) load_[k] += problem_.delivered(nodes[j])[k];
      }
    }
    for (int32_t k = 0; k < dimensions; ++k) {
      if (!problem_.is_depot(nodes[i])) {
        load_[k] += problem_.collected(nodes[i])[k] + problem_.carried(nodes[i])[k] -
                    problem_.delivered(nodes[i])[k];
      }
      if (load_[k] > vehicle.capacity[k]) return false;
      if (penalised) overload_[k] = std::max(overload_[k], load_[k] - vehicle.soft.capacity[k]);
    }
  }
  return true;
}

double RouteEvaluator::PenaltyOf(const Vehicle& vehicle, const RouteValue& value) const {
  const auto beyond = [](double of, double limit) { return of > limit ? of - limit : 0; };
  LimitExcess excess = {.distance = beyond(value.distance, vehicle.soft.distance)};
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    if (overload_[k] > 0) excess.load += overload_[k] / problem_.most_capacity()[k];
  }
  const double slack = problem_.time_slack();
  excess.time = beyond(end_, vehicle.soft.shift_close + slack) +
                beyond(value.duration, vehicle.soft.duration + slack);
  return problem_.penalties() * excess;
}

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
  if (problem_.is_depot(nodes[at])) return std::max(begin, ReleaseOf(nodes, at));
  return begin + problem_.Handling(vehicle, nodes[at - 1], nodes[at]);
}

double RouteEvaluator::LatestBegin(const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                                   size_t at, double leave) const {
  const NodeIndex node = nodes[at];
  if (problem_.is_depot(node)) return problem_.LatestOnTime(node, leave);
  const double begin = leave - problem_.Handling(vehicle, nodes[at - 1], node);
  return problem_.LatestOnTime(node, begin);
}

bool RouteEvaluator::Forward(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  begin_.resize(nodes.size());
  begin_[0] = std::max(vehicle.leaves_from, ReleaseOf(nodes, 0));
  if (!problem_.InTime(begin_[0], vehicle.leaves_by)) return false;
  double time = begin_[0];
  for (size_t i = 1; i < nodes.size(); ++i) {
    const NodeIndex node = nodes[i];
    if (node != problem_.nowhere()) {
      time = problem_.Earliest(node, time + problem_.Duration(vehicle, nodes[i - 1], node));
      if (time == kNever) return false;
      if (problem_.soft()) late_ += problem_.LateCost(node, time);
    }
    begin_[i] = time;
    time = LeaveAt(vehicle, nodes, i, time);
    if (problem_.is_depot(node) && !problem_.InTime(time, problem_.close(node))) return false;
  }
  end_ = time;
  return problem_.InTime(end_, vehicle.shift_close);
}

double RouteEvaluator::LatestStart(const Vehicle& vehicle, std::span<const NodeIndex> nodes) const {
  double begin = end_;
  for (size_t i = nodes.size() - 1; i > 0; --i) {
    const double leave = begin - problem_.Duration(vehicle, nodes[i - 1], nodes[i]);
    if (i == 1) return leave;
    // A late visit stays as it is: begin_ is then the latest too.
    begin = std::max(LatestBegin(vehicle, nodes, i - 1, leave), begin_[i - 1]);
  }
  return begin;
}

bool RouteEvaluator::ForwardWithBreaks(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  const std::vector<Break>& breaks = vehicle.breaks;
  const size_t labels = breaks.size() + 1;
  begin_.assign(nodes.size() * labels, kNever);
  begin_[0] = std::max(vehicle.leaves_from, ReleaseOf(nodes, 0));
  if (!problem_.InTime(begin_[0], vehicle.leaves_by)) return false;
  for (size_t i = 1; i < nodes.size(); ++i) {
    const double travel = problem_.Duration(vehicle, nodes[i - 1], nodes[i]);
    double* to = &begin_[i * labels];
    bool any = false;
    for (size_t from = 0; from < labels; ++from) {
      const double begin = begin_[(i - 1) * labels + from];
      if (begin == kNever) continue;
      const double leave = i == 1 ? begin : LeaveAt(vehicle, nodes, i - 1, begin);
      const NodeIndex node = nodes[i - 1];
      if (problem_.is_depot(node) && !problem_.InTime(leave, problem_.close(node))) continue;
      for (size_t taken = from; taken < labels; ++taken) {
        double time =
            ArrivalAfter(Between(breaks, from, taken), leave, travel, problem_.time_slack());
        if (time == kNever) break;
        if (nodes[i] != problem_.nowhere()) time = problem_.Earliest(nodes[i], time);
        to[taken] = std::min(to[taken], time);
        any = any || time != kNever;
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
    const double travel = problem_.Duration(vehicle, nodes[i - 1], nodes[i]);
    for (size_t taken = 0; taken < labels; ++taken) {
      const double arrival = latest_[i * labels + taken];
      if (arrival == -kNever) continue;
      for (size_t from = 0; from <= taken; ++from) {
        const double leave = DepartureBefore(Between(breaks, from, taken), arrival, travel);
        const auto between = Between(breaks, from, taken);
        if (ArrivalAfter(between, leave, travel, slack) > arrival + slack) continue;
        const double begin = i == 1 ? leave : LatestBegin(vehicle, nodes, i - 1, leave);
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
    if (nodes[i] == problem_.nowhere()) break;  // at the last stop: breaks after its service
    stop.first = problem_.FirstWindow(nodes[i]);
    if (i > 0) stop.travel = problem_.Duration(vehicle, nodes[i - 1], nodes[i]);
    if (i == 0 || i + 1 == nodes.size()) continue;
    if (problem_.is_depot(nodes[i])) {
      stop.first.open = std::max(stop.first.open, ReleaseOf(nodes, i));
      continue;
    }
    stop.work = problem_.Handling(vehicle, nodes[i - 1], nodes[i]);
    stop.further = problem_.FurtherWindows(nodes[i]);
  }
}

bool RouteEvaluator::ForwardByLateness(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  ReadStops(vehicle, nodes);
  begin_.assign(1, std::max(vehicle.leaves_from, ReleaseOf(nodes, 0)));
  const LateBreaks::Route route = {
      .stops = stops_,
      .breaks = vehicle.breaks,
      .last_by = vehicle.shift_close - stops_.back().work,
      .tolerance = problem_.time_slack(),
      .rounding = problem_.time_slack(),
      .most_work = LateBreaks::MaxWork(stops_.size(), vehicle.breaks.size())};
  const auto outcome = late_breaks_.Run(route, begin_[0]);
  if (!outcome.has_value()) return false;
  late_ = outcome->late_cost;
  end_ = outcome->last + stops_.back().work;
  return true;
}

bool RouteEvaluator::ForwardByDriving(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  ReadStops(vehicle, nodes);
  begin_.assign(1, std::max(vehicle.leaves_from, ReleaseOf(nodes, 0)));
  const DrivingLabels::Route route = {
      .stops = stops_,
      .breaks = vehicle.breaks,
      .rules = &vehicle.original->driving_rules,
      .last_by = vehicle.shift_close - stops_.back().work,
      .tolerance = problem_.time_slack(),
      .rounding = problem_.time_slack(),
      .most_work = DrivingLabels::MaxWork(stops_.size(), vehicle.breaks.size())};
  const auto outcome = driving_labels_.Run(route, begin_[0]);
  if (!outcome.has_value()) return false;
  late_ = outcome->late_cost;
  end_ = outcome->last + stops_.back().work;
  return true;
}

}  // namespace vrp
