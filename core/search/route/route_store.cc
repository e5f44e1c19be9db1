#include "core/search/route/route_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/search/route/route_loader.h"

namespace vrp {

RouteStore::RouteStore(const Problem& problem)
    : problem_(&problem),
      evaluator_(problem),
      balance_(problem),
      several_nodes_(problem.units() != problem.size() - problem.depots()),
      places_(problem.size() + 1),
      used_of_(problem.vehicles().size(), 0) {
  for (const Vehicle& vehicle : problem.vehicles()) vehicles_ += vehicle.count;
  for (const FrozenSearchRoute& frozen : problem.frozen()) {
    const int32_t slot = EmptySlot();
    routes_[slot].fixed = frozen.fixed;
    SetRoute(slot, frozen.type, frozen.nodes);
  }
  Load({});
}

bool RouteStore::Serves(int32_t unit) const {
  return std::ranges::any_of(problem_->NodesOf(problem_->unit(unit)),
                             [&](NodeIndex node) { return RouteOf(node) >= 0; });
}

BalanceSums RouteStore::MeasureSpread() const {
  BalanceSums sums = balance_.Measure(routes_);
  balance_.AddUnused(sums);
  return sums;
}

int32_t RouteStore::BoundSlot(NodeIndex node) const {
  for (const NodeIndex other : problem_->rules().GroupOf(node)) {
    if (RouteOf(other) >= 0 && problem_->UnitOf(other) != problem_->UnitOf(node)) {
      return RouteOf(other);
    }
  }
  return -1;
}

void RouteStore::Load(const Plan& plan) {
  std::vector<char> loaded(plan.size(), 0);
  for (int32_t slot = 0; slot < std::ssize(problem_->frozen()); ++slot) {
    const int64_t found = FindFrozen(plan, slot);
    if (found < 0) continue;
    loaded[found] = 1;
    const FrozenSearchRoute& frozen = problem_->frozen()[slot];
    RouteLoader loader(*problem_, evaluator_, problem_->vehicle(frozen.type), plan[found].customers,
                       slot);
    SetRoute(slot, frozen.type, loader.LoadFrozen(frozen, places_));
  }
  for (size_t r = 0; r < plan.size(); ++r) {
    if (!loaded[r]) LoadRoute(plan[r]);
  }
  SetRestAbsent();
}

void RouteStore::SetRestAbsent() {
  std::vector<int32_t> absent;
  std::ranges::copy_if(servable(), std::back_inserter(absent),
                       [&](int32_t u) { return !Serves(u); });
  SetAbsent(std::move(absent));
}

int64_t RouteStore::FindFrozen(const Plan& plan, int32_t slot) const {
  const FrozenSearchRoute& frozen = problem_->frozen()[slot];
  for (size_t r = 0; r < plan.size(); ++r) {
    const auto& customers = plan[r].customers;
    if (plan[r].vehicle_type == frozen.label && std::ssize(customers) >= frozen.fixed &&
        std::equal(customers.begin(), customers.begin() + frozen.fixed, frozen.nodes.begin() + 1)) {
      return static_cast<int64_t>(r);
    }
  }
  return -1;
}

void RouteStore::LoadRoute(const PlannedRoute& planned) {
  if (planned.vehicle_type < 0 || planned.vehicle_type >= problem_->instance_types()) return;
  const int32_t type = problem_->TypeOf(planned.vehicle_type);
  if (!HasVehicle(type) || !CanOpenRoute()) return;
  RouteLoader loader(*problem_, evaluator_, problem_->vehicle(type), planned.customers, -1);
  const std::vector<NodeIndex> nodes = loader.Load(places_);
  if (!nodes.empty()) SetRoute(EmptySlot(), type, nodes);
}

void RouteStore::Save(int32_t slot, int32_t from) {
  first_empty_ = std::min(first_empty_, slot);  // it may become empty
  changed_.Mark(slot);
  RouteCopy* const saved = undo_.Save(slot, [&](RouteCopy& copy) {
    copy.from = from;
    CopyRoute(*problem_, routes_[slot], copy.route);
  });
  if (saved != nullptr) saved->from = std::min(saved->from, from);
}

bool RouteStore::SetRoute(int32_t slot, int32_t type, std::span<const NodeIndex> nodes) {
  Save(slot, 1);
  SearchRoute& route = routes_[slot];
  if (!route.empty()) Count(route, -1);
  Unlink(route, 1);
  route.type = type;
  route.nodes.assign(nodes.begin(), nodes.end());
  rooms_[slot] = -Problem::kNever;
  if (nodes.empty()) return true;
  MeasureKnownEdges(route);
  if (!MeasureRoute(*problem_, evaluator_, route)) {
    route.nodes.clear();
    return false;
  }
  Count(route, 1);
  MeasureRoom(slot);
  Number(slot, 1, route.size() - 1);
  return true;
}

bool RouteStore::Insert(int32_t slot, int32_t after, NodeIndex customer) {
  SearchRoute& route = routes_[slot];
  if (!ChangesByParts(*problem_, route)) {
    changed_nodes_ = route.nodes;
    changed_nodes_.insert(changed_nodes_.begin() + after + 1, customer);
    return SetRoute(slot, route.type, changed_nodes_);
  }
  Save(slot, after + 1);
  route_cost_ -= route.cost;
  InsertVisit(*problem_, route, after + 1, customer);
  route_cost_ += route.cost;
  MeasureRoom(slot);
  Renumber(slot, after, after + 3);
  return true;
}

bool RouteStore::Remove(int32_t slot, int32_t begin, int32_t count) {
  SearchRoute& route = routes_[slot];
  if (count == route.size() - 2) return SetRoute(slot, route.type, {});
  if (!ChangesByParts(*problem_, route)) {
    changed_nodes_ = route.nodes;
    changed_nodes_.erase(changed_nodes_.begin() + begin, changed_nodes_.begin() + begin + count);
    return SetRoute(slot, route.type, changed_nodes_);
  }
  Save(slot, begin);
  for (int32_t i = begin; i < begin + count; ++i) places_[route.nodes[i]].route = -1;
  route_cost_ -= route.cost;
  const bool kept = RemoveVisits(*problem_, route, begin, count);
  route_cost_ += route.cost;
  MeasureRoom(slot);
  Renumber(slot, begin - 1, begin + 1);
  if (!kept) SetRoute(slot, route.type, {});
  return kept;
}

// What two customers' last visits say of the way between them holds for as long as all vehicles'
// distances are the same, and spares waits for the matrix.
void RouteStore::MeasureKnownEdges(SearchRoute& route) const {
  if (!problem_->one_distance()) return MeasureEdges(*problem_, route);
  const Vehicle& vehicle = problem_->vehicle(route.type);
  route.edge.resize(route.size() - 1);
  for (int32_t i = 0; i + 1 < route.size(); ++i) {
    const NodeIndex from = route.nodes[i];
    const NodeIndex to = route.nodes[i + 1];
    const VisitPlace& at_from = places_[from];
    const VisitPlace& at_to = places_[to];
    if (at_from.after == to && at_from.position > 0) {
      route.edge[i] = at_from.edge_after;
    } else if (at_to.before == from && at_to.position > 0) {
      route.edge[i] = at_to.edge_before;
    } else {
      route.edge[i] = problem_->Distance(vehicle, from, to);
    }
  }
}

void RouteStore::Unlink(const SearchRoute& route, int32_t from) {
  for (int32_t i = std::max(from, 1); i + 1 < route.size(); ++i) places_[route.nodes[i]].route = -1;
}

void RouteStore::Count(const SearchRoute& route, int32_t sign) {
  used_ += sign;
  used_of_[route.type] += sign;
  route_cost_ += sign * route.cost;
  fixed_cost_ += sign * problem_->vehicle(route.type).fixed;
}

void RouteStore::MeasureRoom(int32_t slot) {
  const SearchRoute& route = routes_[slot];
  rooms_[slot] = -Problem::kNever;
  if (route.empty()) return;
  const Vehicle& vehicle = problem_->vehicle(route.type);
  if (route.stops >= vehicle.max_stops) return;
  rooms_[slot] = problem_->plain_loads() ? vehicle.capacity[0] - route.load[0] : Problem::kNever;
}

void RouteStore::Number(int32_t slot, int32_t begin, int32_t end) {
  const NodeIndex* const nodes = routes_[slot].nodes.data();
  const double* const edge = routes_[slot].edge.data();
  for (int32_t i = std::max(begin, 1); i < end; ++i) {
    if (problem_->is_depot(nodes[i])) continue;
    places_[nodes[i]] = {.route = slot,
                         .position = i,
                         .before = nodes[i - 1],
                         .after = nodes[i + 1],
                         .edge_before = edge[i - 1],
                         .edge_after = edge[i]};
  }
}

void RouteStore::Renumber(int32_t slot, int32_t begin, int32_t moved_from) {
  const SearchRoute& route = routes_[slot];
  const int32_t end = route.size() - 1;
  Number(slot, begin, std::min(moved_from, end));
  for (int32_t i = moved_from; i < end; ++i) places_[route.nodes[i]].position = i;
}

void RouteStore::SetAbsent(std::vector<int32_t> units) {
  absent_ = std::move(units);
  lost_prizes_ = missing_weight_ = 0;
  for (const int32_t u : absent_) {
    const Unit& unit = problem_->unit(u);
    (unit.required() ? missing_weight_ : lost_prizes_) +=
        unit.required() ? unit.weight : unit.prize;
  }
}

int32_t RouteStore::EmptySlot() {
  for (; first_empty_ < slots(); ++first_empty_) {
    if (routes_[first_empty_].empty()) return first_empty_;
  }
  routes_.emplace_back();
  rooms_.push_back(-Problem::kNever);
  return slots() - 1;
}

void RouteStore::Begin() {
  undo_.Begin();
  saved_absent_ = absent_;
  saved_cost_ = route_cost_;
  saved_fixed_ = fixed_cost_;
  saved_prizes_ = lost_prizes_;
  saved_weight_ = missing_weight_;
}

void RouteStore::Rollback() {
  undo_.Stop();
  for (const auto& [slot, copy] : undo_.saved()) {
    if (!routes_[slot].empty()) Count(routes_[slot], -1);
    if (several_nodes_) Unlink(routes_[slot], copy.from);
  }
  for (auto& [slot, copy] : undo_.saved()) {
    SwapRoutes(*problem_, routes_[slot], copy.route);
    first_empty_ = std::min(first_empty_, slot);
    MeasureRoom(slot);
    if (routes_[slot].empty()) continue;
    Count(routes_[slot], 1);
    Number(slot, copy.from - 1, routes_[slot].size() - 1);
  }
  for (const int32_t unit : saved_absent_) {
    for (const NodeIndex node : problem_->NodesOf(problem_->unit(unit))) places_[node].route = -1;
  }
  absent_.swap(saved_absent_);
  route_cost_ = saved_cost_;
  fixed_cost_ = saved_fixed_;
  lost_prizes_ = saved_prizes_;
  missing_weight_ = saved_weight_;
}

std::vector<int32_t> RouteStore::Touched() const {
  std::vector<int32_t> slots;
  for (const auto& saved : undo_.saved()) slots.push_back(saved.slot);
  return slots;
}

}  // namespace vrp
