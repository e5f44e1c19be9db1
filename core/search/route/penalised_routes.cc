#include "core/search/route/penalised_routes.h"

#include <algorithm>

#include "core/search/route/search_route.h"

namespace vrp {
namespace {

// More vehicles than that are no tight fleet, and each has a route here.
constexpr int64_t kMostVehicles = 1000;
// Most numbers in matrices of costs: 64 MB.
constexpr int64_t kMostCosts = 8'000'000;

int32_t UsableVehicles(const Problem& problem, const Vehicle& vehicle) {
  return std::min(vehicle.count, problem.units());
}

}  // namespace

bool CanPenalise(const Problem& problem) {
  int64_t slots = 0;
  for (const Vehicle& vehicle : problem.vehicles()) {
    if (vehicle.simulated || vehicle.compartments != nullptr) return false;
    slots += UsableVehicles(problem, vehicle);
  }
  if (problem.size() > kMaxPenalisedNodes || slots > kMostVehicles ||
      VehicleEdges::SizeOf(problem) > kMostCosts) {
    return false;
  }
  if (!problem.plain_loads() || !problem.frozen().empty() || problem.rules().any()) return false;
  if (problem.has_releases() || problem.soft() || problem.has_further_windows() ||
      problem.has_setups()) {
    return false;
  }
  return std::ranges::none_of(problem.all_units(), [](const Unit& unit) {
    return unit.required() && unit.kind != Unit::Kind::kSingle;
  });
}

PenalisedRoutes::PenalisedRoutes(const Problem& problem, std::span<const int32_t> counts)
    : problem_(problem),
      edges_(problem),
      depots_(problem.depots()),
      num_customers_(problem.size() - problem.depots()),
      visits_(problem.size() + 1) {
  SetFlags();
  ReadNodes();
  const std::vector<Vehicle>& vehicles = problem.vehicles();
  for (int32_t type = 0; type < std::ssize(vehicles); ++type) {
    const Vehicle& vehicle = vehicles[type];
    const NodeIndex ends[] = {vehicle.start, vehicle.end};
    const Route empty = {.capacity = vehicle.capacity[0],
                         .edges = edges_.costs(type),
                         .nodes = {vehicle.start, vehicle.end},
                         .type = type,
                         .fixed = vehicle.fixed};
    first_of_.push_back(slots());
    routes_.insert(routes_.end(), counts.empty() ? UsableVehicles(problem, vehicle) : counts[type],
                   empty);
    const auto alike = std::ranges::find_if(
        vehicles, [&](const Vehicle& other) { return DriveAlike(other, vehicle); });
    drives_as_.push_back(static_cast<int32_t>(alike - vehicles.begin()));
    start_.push_back(SegmentAt(problem, vehicle, ends, 0));
    end_.push_back(SegmentAt(problem, vehicle, ends, 1));
  }
  first_of_.push_back(slots());
}

void PenalisedRoutes::SetFlags() {
  const std::vector<Vehicle>& vehicles = problem_.vehicles();
  timed_ = problem_.timed();
  loads_and_windows_ = problem_.dimensions() == 1;
  simple_ = !timed_;
  measures_ways_ = vehicles.size() > 1;
  for (const Vehicle& vehicle : vehicles) {
    const bool distance_limit = vehicle.distance_limit != kNoLimit;
    timed_ = timed_ || vehicle.needs_duration;
    measures_ways_ = measures_ways_ || distance_limit || vehicle.per_time != 0;
    loads_and_windows_ = loads_and_windows_ && !distance_limit && !vehicle.needs_duration &&
                         vehicle.max_stops >= problem_.units();
    simple_ = simple_ && vehicle.fixed == 0;
  }
  simple_ = simple_ && loads_and_windows_;
  const Vehicle& first = vehicles.front();
  alike_ = vehicles.size() == 1 && first.start == first.end && first.fixed == 0;
}

void PenalisedRoutes::ReadNodes() {
  const int32_t dimensions = problem_.dimensions();
  demand_.assign(problem_.size() + 1, 0.0);
  for (const int32_t u : problem_.detours().servable()) {
    const Unit& unit = problem_.unit(u);
    if (unit.kind != Unit::Kind::kSingle) continue;
    const NodeIndex node = problem_.NodesOf(unit).front();
    customers_.push_back(node);
    demand_[node] = problem_.delivered(node)[0];
    has_skills_ = has_skills_ || !std::ranges::all_of(problem_.vehicles(), [&](const Vehicle& v) {
                    return problem_.Allowed(v, node);
                  });
    if (unit.required()) continue;
    optional_.resize(problem_.size() + 1, 0);
    prizes_.resize(problem_.size() + 1, 0.0);
    optional_[node] = 1;
    prizes_[node] = unit.prize;
    lost_prizes_ += unit.prize;
  }
  std::sort(customers_.begin(), customers_.end());
  alike_ = alike_ && !has_skills_ && optional_.empty();
  load_unit_ = problem_.most_capacity();
  for (int32_t k = 0; k < dimensions; ++k) {
    for (NodeIndex node = 0; problem_.most_capacity()[k] == 0 && node < problem_.size(); ++node) {
      load_unit_[k] = std::max(load_unit_[k], problem_.delivered(node)[k]);
    }
  }
  if (load_unit_[0] == 0) load_unit_[0] = 1;
  more_.assign((problem_.size() + 1) * static_cast<size_t>(dimensions - 1), 0.0);
  if (measures_ways_) ways_.resize(problem_.size() + 1);
  if (!timed_) return;
  for (NodeIndex node = 0; node < problem_.size(); ++node) {
    alone_.push_back(SegmentOf(problem_, problem_.vehicle(0), node));
  }
  before_ = after_ = alone_;
}

int32_t PenalisedRoutes::EmptyOf(int32_t type) const {
  for (int32_t slot = first_of_[type + 1] - 1; slot >= first_of_[type]; --slot) {
    if (routes_[slot].empty()) return slot;
  }
  return -1;
}

int32_t PenalisedRoutes::used() const {
  return static_cast<int32_t>(
      slots() - std::ranges::count_if(routes_, [](const Route& route) { return route.empty(); }));
}

bool PenalisedRoutes::HasSkills(const Vehicle& vehicle,
                                std::span<const NodeIndex> customers) const {
  return std::ranges::all_of(customers,
                             [&](NodeIndex node) { return problem_.Allowed(vehicle, node); });
}

void PenalisedRoutes::SetPenalties(const Penalties& penalties) {
  penalties_ = penalties;
  for (Route& route : routes_) route.penalty = route.waiting + penalties * route.excess;
}

void PenalisedRoutes::SetCustomers(int32_t slot, std::span<const NodeIndex> customers,
                                   int64_t when) {
  filled_.assign(1, 0);
  filled_.insert(filled_.end(), customers.begin(), customers.end());
  filled_.push_back(0);
  SetRoute(slot, filled_, when);
}

void PenalisedRoutes::Clear() {
  for (int32_t slot = 0; slot < slots(); ++slot) {
    if (!routes_[slot].empty()) SetCustomers(slot, {});
    routes_[slot].changed = 0;
  }
  edge_cost_ = 0;
}

void PenalisedRoutes::MarkInfeasible() {
  ++changes_;
  for (Route& route : routes_) {
    if (route.penalty > route.waiting) route.changed = changes_;
  }
}

void PenalisedRoutes::Rollback() {
  for (const auto& saved : undo_.saved()) SetCustomers(saved.slot, {});
  for (const auto& saved : undo_.saved()) SetRoute(saved.slot, saved.copy);
  Begin();
}

LimitExcess PenalisedRoutes::Excess() const {
  LimitExcess sum;
  for (const Route& route : routes_) sum += route.excess;
  return sum;
}

double PenalisedRoutes::Cost() const {
  double cost = edge_cost_ + lost_prizes_;
  for (const Route& route : routes_) cost += route.empty() ? 0 : route.fixed + route.waiting;
  return cost;
}

double PenalisedRoutes::PenalisedCost() const {
  double cost = edge_cost_ + lost_prizes_;
  for (const Route& route : routes_) cost += ExtraCost(route);
  return cost;
}

bool PenalisedRoutes::Feasible() const {
  return std::all_of(routes_.begin(), routes_.end(), [](const Route& route) {
    return route.excess.load == 0 && route.excess.time == 0 && route.excess.distance == 0;
  });
}

}  // namespace vrp
