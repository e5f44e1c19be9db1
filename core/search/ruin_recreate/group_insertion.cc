#include "core/search/ruin_recreate/group_insertion.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

constexpr double kNever = Problem::kNever;
// Above Problem::kScanAllNodes: routes looked at, those of the nearest customers.
constexpr size_t kRoutesTried = 12;
constexpr int32_t kTypesTried = 8;

}  // namespace

GroupInsertion::GroupInsertion(RouteStore& routes, Insertion& insertion, FastRandom& random)
    : routes_(routes), problem_(routes.problem()), insertion_(insertion), random_(random) {
  if (has_any()) pending_.assign(problem_.units(), 0);
}

void GroupInsertion::Begin(std::span<const int32_t> units) {
  std::ranges::fill(pending_, 0);
  for (const int32_t u : units) pending_[u] = 1;
}

void GroupInsertion::Take(int32_t unit) {
  members_.clear();
  const auto take = [&](int32_t u) {
    if (std::exchange(pending_[u], 0)) members_.push_back(u);
  };
  take(unit);
  // A unit with alternatives may be served without its group.
  if (problem_.unit(unit).kind == Unit::Kind::kAlternatives) return;
  for (const NodeIndex other : problem_.rules().GroupOf(problem_.NodesOf(problem_.unit(unit))[0])) {
    const int32_t u = problem_.UnitOf(other);
    if (problem_.unit(u).kind != Unit::Kind::kAlternatives) take(u);
  }
}

bool GroupInsertion::Insert(int32_t unit, absl::FunctionRef<double(int32_t unit)> limit) {
  if (!pending_[unit]) return false;
  Take(unit);
  if (members_.size() < 2) return false;
  double most = 0;
  bool is_required = false;
  delivered_.assign(problem_.dimensions(), 0.0);
  for (const int32_t u : members_) {
    const double* const delivered = problem_.delivered(problem_.NodesOf(problem_.unit(u)).front());
    for (size_t k = 0; k < delivered_.size(); ++k) delivered_[k] += delivered[k];
    most += limit(u);
    is_required = is_required || problem_.unit(u).required();
  }
  random_.Shuffle(std::span<int32_t>(members_));
  std::ranges::stable_sort(members_, {}, [&](int32_t u) {
    return -problem_.bulk(problem_.NodesOf(problem_.unit(u)).front());
  });
  Found best;
  best.cost = most;
  TryRoutes(best);
  TryNewRoutes(most, is_required, best);
  if (best.nodes.empty()) return false;
  const int32_t slot = best.slot >= 0 ? best.slot : routes_.EmptySlot();
  return routes_.SetRoute(slot, best.type, best.nodes);
}

bool GroupInsertion::HasRoom(const Vehicle& vehicle, std::span<const double> load) const {
  if (!problem_.plain_loads()) return true;
  for (size_t k = 0; k < delivered_.size(); ++k) {
    if (delivered_[k] + (load.empty() ? 0 : load[k]) > vehicle.capacity[k]) return false;
  }
  return true;
}

void GroupInsertion::TryRoutes(Found& best) {
  for (const int32_t slot : SlotsToTry()) {
    const SearchRoute& route = routes_.route(slot);
    if (!HasRoom(problem_.vehicle(route.type), route.load)) continue;
    filled_ = route;
    const double before = filled_.cost;
    const double cost = Fill(slot, before + best.cost);
    if (cost < before + best.cost) {
      best = {.cost = cost - before, .slot = slot, .type = filled_.type, .nodes = filled_.nodes};
    }
  }
}

void GroupInsertion::TryNewRoutes(double limit, bool is_required, Found& best) {
  const auto is_bound = [&](int32_t u) {
    const NodeIndex node = problem_.NodesOf(problem_.unit(u)).front();
    return routes_.BoundSlot(node) >= 0 || problem_.unit(u).slot >= 0;
  };
  if (!routes_.CanOpenRoute() || std::ranges::any_of(members_, is_bound)) return;
  const auto types = static_cast<int32_t>(problem_.vehicles().size());
  const int32_t first = random_.Below(types);
  // Fixed costs are ignored for required units, because serving more ranks first.
  const bool ignores_fixed_cost = is_required && best.nodes.empty();
  for (int32_t i = 0; i < std::min(types, kTypesTried); ++i) {
    const int32_t type = (first + i) % types;
    if (!routes_.HasVehicle(type) || !HasRoom(problem_.vehicle(type), {})) continue;
    const Vehicle& vehicle = problem_.vehicle(type);
    const double fixed = vehicle.fixed + problem_.route_weight();
    const bool is_first = best.nodes.empty();
    const double most = is_first && ignores_fixed_cost ? limit + fixed : best.cost;
    filled_ = {};
    filled_.type = type;
    filled_.nodes = {vehicle.start, vehicle.end};
    MeasureEdges(problem_, filled_);
    if (!MeasureRoute(problem_, routes_.evaluator(), filled_)) continue;
    const double cost = Fill(-1, most) + problem_.route_weight();
    if (cost < most) best = {.cost = cost, .slot = -1, .type = type, .nodes = filled_.nodes};
  }
}

double GroupInsertion::Fill(int32_t slot, double most) {
  for (const int32_t u : members_) {
    const InsertionPlace place = insertion_.FindIn(u, slot, filled_, kNever);
    if (!place.found()) return kNever;
    const std::span<const NodeIndex> nodes = insertion_.Filled(place);
    filled_.nodes.assign(nodes.begin(), nodes.end());
    MeasureEdges(problem_, filled_);
    if (!MeasureRoute(problem_, routes_.evaluator(), filled_) || filled_.cost >= most) {
      return kNever;
    }
  }
  return filled_.cost;
}

std::span<const int32_t> GroupInsertion::SlotsToTry() {
  slots_.clear();
  for (const int32_t u : members_) {
    const Unit& unit = problem_.unit(u);
    const int32_t bound =
        unit.slot >= 0 ? unit.slot : routes_.BoundSlot(problem_.NodesOf(unit).front());
    if (bound < 0) continue;
    slots_.assign(1, bound);
    return slots_;
  }
  if (problem_.size() > Problem::kScanAllNodes) {
    for (const int32_t u : members_) {
      const size_t most = slots_.size() + std::max<size_t>(1, kRoutesTried / members_.size());
      for (const NodeIndex near : problem_.Near(problem_.NodesOf(problem_.unit(u)).front())) {
        const int32_t slot = routes_.RouteOf(near);
        if (slots_.size() >= most) break;
        if (slot >= 0 && std::ranges::count(slots_, slot) == 0) slots_.push_back(slot);
      }
    }
    if (!slots_.empty()) return slots_;
  }
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    if (!routes_.route(slot).empty()) slots_.push_back(slot);
  }
  return slots_;
}

}  // namespace vrp
