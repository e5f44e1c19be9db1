#include "core/search/model/route_evaluator.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/problem/plan/break_leg.h"

namespace vrp {
namespace {

// Rounding of a route's waiting, as a share of its duration. The checker allows twice as much.
constexpr double kWaitingSlack = 5e-10;
// Rounding of the driving, as a share of the driving before a break. The checker allows half of it.
constexpr double kPeriodSlack = 2e-9;

// Returns the service and setup times of the route, loading included.
double WorkOf(const Problem& problem, const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  double work = problem.service(nodes.front());
  for (size_t i = 1; i + 1 < nodes.size(); ++i) {
    work += problem.is_depot(nodes[i]) ? problem.service(nodes[i])
                                       : problem.Handling(vehicle, nodes[i - 1], nodes[i]);
  }
  return work;
}

// Returns the time of all breaks of a route that drives for `driving`: that of its planned breaks,
// or of the breaks that the driving needs at least, since a planned break may be one of these.
double CountedBreaks(const Vehicle& vehicle, double driving) {
  double planned = 0;
  for (const Break& pause : vehicle.breaks) planned += pause.duration;
  const DrivingRules& rules = vehicle.original->driving_rules;
  if (!rules.has_breaks()) return planned;
  const double periods = std::ceil(driving / rules.max_driving_before_break - kPeriodSlack);
  return std::max(planned, rules.break_duration * (periods - 1));
}

// Whether the waiting within that duration, which is neither driving, work nor breaks, exceeds the
// vehicle's limit.
bool WaitsTooLong(const Problem& problem, const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                  double duration, double driving) {
  double waiting = duration * (1 - kWaitingSlack) - driving;
  waiting -= WorkOf(problem, vehicle, nodes) + CountedBreaks(vehicle, driving);
  return !problem.InTime(waiting, vehicle.original->max_waiting);
}

// Returns the costs of the route's service, setup and travel times.
double WorkCost(const Problem& problem, const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                double driving) {
  double cost = vehicle.per_travel_time * driving;
  if (vehicle.per_service_time != 0) {
    cost += vehicle.per_service_time * WorkOf(problem, vehicle, nodes);
  }
  return cost;
}

double SumLostPrizes(const Problem& problem, std::span<const NodeIndex> nodes) {
  if (!problem.has_lost_prizes()) return 0;
  double sum = 0;
  for (const NodeIndex node : nodes) sum += problem.LostPrize(node);
  return sum;
}

bool LimitsWork(const Vehicle& vehicle) {
  const DrivingRules& rules = vehicle.original->driving_rules;
  return rules.max_driving != kNoLimit || rules.max_work != kNoLimit;
}

// Whether the route's way exceeds the vehicle's limit by length_matrix.
bool IsTooLong(const Problem& problem, const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  if (vehicle.length_limit == kNoLimit) return false;
  double length = 0;
  for (size_t i = 1; i < nodes.size() && nodes[i] != problem.nowhere(); ++i) {
    length += problem.instance().Length(*vehicle.original, nodes[i - 1], nodes[i]);
  }
  return length > vehicle.length_limit;
}

// Whether the route, which drives for `driving`, exceeds the limits of driving, or of driving and
// work.
bool WorksTooLong(const Problem& problem, const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                  double driving) {
  const DrivingRules& rules = vehicle.original->driving_rules;
  const double work = WorkOf(problem, vehicle, nodes);
  return driving > WithSlack(rules.max_driving) || driving + work > WithSlack(rules.max_work);
}

}  // namespace

RouteValue RouteEvaluator::Evaluate(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  RouteValue value;
  if (!OrderAllowed(vehicle, nodes)) return value;
  for (size_t i = 1; i < nodes.size(); ++i) {
    value.distance += problem_.Distance(vehicle, nodes[i - 1], nodes[i]);
  }
  if (value.distance > vehicle.distance_limit || IsTooLong(problem_, vehicle, nodes) ||
      !LoadsFit(vehicle, nodes)) {
    return value;
  }
  const bool limits_work = LimitsWork(vehicle);
  if (limits_work || vehicle.per_travel_time != 0) value.driving = LeastDriving(vehicle, nodes);
  if (limits_work && WorksTooLong(problem_, vehicle, nodes, value.driving)) return value;
  if (!SimulateForward(vehicle, nodes)) return value;
  if (vehicle.needs_duration && !DurationFits(vehicle, nodes, value)) return value;
  value.cost = vehicle.fixed + vehicle.per_distance * value.distance +
               vehicle.TimeCost(value.duration) + late_ +
               WorkCost(problem_, vehicle, nodes, value.driving) + SumLostPrizes(problem_, nodes);
  if (problem_.penalised()) value.cost += PenaltyOf(vehicle, value);
  value.feasible = true;
  return value;
}

bool RouteEvaluator::DurationFits(const Vehicle& vehicle, std::span<const NodeIndex> nodes,
                                  RouteValue& value) {
  const std::optional<double> latest = SimulateBackward(vehicle, nodes);
  if (!latest.has_value()) return false;
  const double start = std::max(begin_[0], std::min(*latest, vehicle.leaves_by));
  const bool limits_waiting = vehicle.original->max_waiting != kNoLimit;
  if (limits_waiting || vehicle.needs_timed_driving) {
    const std::optional<double> driving = DrivingFrom(vehicle, nodes, start);
    if (!driving.has_value()) return false;
    value.driving = *driving;
  }
  value.duration = end_ - start;
  if (!problem_.InTime(value.duration, vehicle.duration_limit)) return false;
  if (limits_waiting && WaitsTooLong(problem_, vehicle, nodes, value.duration, value.driving)) {
    return false;
  }
  return !vehicle.needs_timed_driving || !LimitsWork(vehicle) ||
         !WorksTooLong(problem_, vehicle, nodes, value.driving);
}

bool RouteEvaluator::OrderAllowed(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
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
  return stops <= vehicle.max_stops && reloads <= vehicle.max_reloads &&
         (!vehicle.lifo || KeepsLifo(nodes)) &&
         (!problem_.rules().limits_routes() || problem_.rules().Allows(nodes, rule_counts_));
}

bool RouteEvaluator::KeepsLifo(std::span<const NodeIndex> nodes) {
  if (!problem_.has_shipments()) return true;
  on_board_.clear();
  for (const NodeIndex node : nodes.subspan(1, nodes.size() - 2)) {
    if (problem_.DeliveryOf(node) >= 0) on_board_.push_back(node);
    const NodeIndex pickup = problem_.PickupOf(node);
    if (pickup < 0) continue;
    // Drops the goods that were picked up later. If one of them is delivered after this, it is no
    // longer on board, and the route fails there.
    while (!on_board_.empty() && on_board_.back() != pickup) on_board_.pop_back();
    if (on_board_.empty()) return false;
    on_board_.pop_back();
  }
  return true;
}

bool RouteEvaluator::LoadsFit(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  const int32_t dimensions = problem_.dimensions();
  load_.resize(dimensions);
  if (vehicle.compartments != nullptr && !CompartmentsFit(vehicle, nodes)) return false;
  shipped_.assign(dimensions, 0.0);
  const bool penalised = problem_.penalised();
  const bool limits_breaks = HasLoadLimits(vehicle.breaks);
  allowed_.assign(limits_breaks ? nodes.size() : 0, 0);
  if (penalised) overload_.assign(dimensions, 0.0);
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (problem_.is_depot(nodes[i])) {
      const bool first = i == 0 && !vehicle.initial_load.empty();
      load_ = first ? vehicle.initial_load : shipped_;
      for (size_t j = i + 1; j + 1 < nodes.size() && !problem_.is_depot(nodes[j]); ++j) {
        for (int32_t k = 0; k < dimensions; ++k) load_[k] += problem_.delivered(nodes[j])[k];
      }
    }
    for (int32_t k = 0; k < dimensions; ++k) {
      if (!problem_.is_depot(nodes[i])) {
        const double carried = problem_.carried(nodes[i])[k];
        shipped_[k] += carried;
        load_[k] += problem_.collected(nodes[i])[k] + carried - problem_.delivered(nodes[i])[k];
      }
      if (load_[k] > vehicle.capacity[k]) return false;
      if (penalised) overload_[k] = std::max(overload_[k], load_[k] - vehicle.soft.capacity[k]);
    }
    if (limits_breaks) allowed_[i + 1] = BreaksAllowedWith(vehicle.breaks, load_);
  }
  return true;
}

bool RouteEvaluator::FitCompartments(const Vehicle& vehicle, const double* load,
                                     const double* more) {
  if (vehicle.compartments == nullptr) return true;
  most_load_.assign(load, load + problem_.dimensions());
  for (int32_t k = 0; k < problem_.dimensions(); ++k) most_load_[k] += more[k];
  return vehicle.compartments->Fit(most_load_, assigned_);
}

bool RouteEvaluator::CompartmentsFit(const Vehicle& vehicle, std::span<const NodeIndex> nodes) {
  const int32_t dimensions = problem_.dimensions();
  shipped_.assign(dimensions, 0.0);
  for (size_t begin = 0, end = 1; end < nodes.size(); begin = end++) {
    load_ = begin == 0 && !vehicle.initial_load.empty() ? vehicle.initial_load : shipped_;
    for (; end + 1 < nodes.size() && !problem_.is_depot(nodes[end]); ++end) {
      for (int32_t k = 0; k < dimensions; ++k) load_[k] += problem_.delivered(nodes[end])[k];
    }
    most_load_ = load_;
    for (size_t i = begin + 1; i < end && !problem_.plain_loads(); ++i) {
      for (int32_t k = 0; k < dimensions; ++k) {
        const double carried = problem_.carried(nodes[i])[k];
        shipped_[k] += carried;
        load_[k] += problem_.collected(nodes[i])[k] + carried - problem_.delivered(nodes[i])[k];
        most_load_[k] = std::max(most_load_[k], load_[k]);
      }
    }
    if (!vehicle.compartments->Fit(most_load_, assigned_)) return false;
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

}  // namespace vrp
