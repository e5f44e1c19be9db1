#include "core/search/methods/fleet_reduction/fleet_reduction.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/search/model/fleet_bounds.h"
#include "core/search/route/route_trips.h"

namespace vrp {
namespace {

// Most units that leave a route at once for another one, and most sets of units tried in a route:
// where EjectionFit judges them, and where each is measured.
constexpr int32_t kMostEjected = 3;
constexpr int32_t kMostTried = 2000;
constexpr int32_t kMostMeasured = 200;
// How often the cheapest insertion position so far is passed over, for variety.
constexpr double kPassOver = 0.2;
// Moves after each ejection, and the share of them that are relocations, not exchanges.
constexpr int32_t kMoves = 100;
constexpr double kRelocations = 0.5;
constexpr int32_t kRelated = 40;  // customers beside whom a unit moves
// Ejections or moves tried between two looks at the clock.
constexpr int32_t kTriesPerPoll = 16;

}  // namespace

FleetReduction::FleetReduction(RouteStore& routes, FastRandom& random)
    : routes_(routes),
      problem_(routes.problem()),
      random_(random),
      insertion_(routes, random),
      types_(routes, random),
      conflicts_(problem_, routes.evaluator()),
      fit_(problem_),
      leaving_(problem_.units(), 0) {
  insertion_.SetPolicy({.blink = kPassOver});
  for (int32_t u = 0; u < problem_.units(); ++u) failures_.push_back(problem_.unit(u).required());
}

int64_t FleetReduction::Run(const SearchOptions& options, absl::FunctionRef<void()> on_fewer) {
  options_ = &options;
  iterations_ = 0;
  const int32_t fewest = FewestRoutes(problem_);
  Keep();
  while (routes_.used() > fewest && !Over() && RemoveRoute()) {
    while (!pool_.empty() && !Over()) PlaceOne();
    if (!pool_.empty()) break;
    Keep();
    on_fewer();
  }
  RestoreKept();
  routes_.LimitRoutes(routes_.used());
  return iterations_;
}

bool FleetReduction::Over() const {
  return iterations_ >= options_->max_iterations || options_->stop.ShouldStop();
}

void FleetReduction::Keep() {
  std::vector<int32_t> absent = routes_.absent();
  absent.insert(absent.end(), dropped_.begin(), dropped_.end());
  dropped_.clear();
  routes_.SetAbsent(std::move(absent));
  kept_absent_ = routes_.absent();
  kept_.resize(routes_.slots());
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    kept_[slot].type = routes_.route(slot).type;
    kept_[slot].nodes = routes_.route(slot).nodes;
  }
}

void FleetReduction::RestoreKept() {
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) routes_.SetRoute(slot, 0, {});
  for (int32_t slot = 0; slot < std::ssize(kept_); ++slot) {
    routes_.SetRoute(slot, kept_[slot].type, kept_[slot].nodes);
  }
  routes_.SetAbsent(kept_absent_);
  pool_.clear();
  dropped_.clear();
}

bool FleetReduction::RemoveRoute() {
  slots_.clear();
  // The first ones are frozen.
  for (auto slot = static_cast<int32_t>(problem_.frozen().size()); slot < routes_.slots(); ++slot) {
    if (!routes_.route(slot).empty()) slots_.push_back(slot);
  }
  if (slots_.empty()) return false;
  const int32_t slot = slots_[random_.Below(static_cast<int32_t>(slots_.size()))];
  ListUnits(routes_.route(slot));
  routes_.SetRoute(slot, 0, {});
  random_.Shuffle(std::span<int32_t>(units_));
  for (const int32_t u : units_) {
    (problem_.unit(u).required() ? pool_ : dropped_).push_back(u);
  }
  routes_.LimitRoutes(routes_.used());
  return true;
}

void FleetReduction::PlaceOne() {
  ++iterations_;
  const int32_t unit = pool_.back();
  const InsertionPlace place = insertion_.Find(unit, Problem::kNever);
  if (place.found()) {
    pool_.pop_back();
    insertion_.Insert(place);
    return;
  }
  ++failures_[unit];
  if (!Eject(unit)) std::rotate(pool_.begin(), pool_.end() - 1, pool_.end());
  Perturb();
}

bool FleetReduction::Eject(int32_t unit) {
  best_.failures = kUnknown;
  slots_.clear();
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) {
    if (!routes_.route(slot).empty()) slots_.push_back(slot);
  }
  random_.Shuffle(std::span<int32_t>(slots_));
  for (const int32_t slot : slots_) LookInRoute(unit, slot);
  if (best_.failures == kUnknown) return false;
  pool_.pop_back();
  routes_.SetRoute(best_.slot, routes_.route(best_.slot).type, best_.nodes);
  random_.Shuffle(std::span<int32_t>(best_.units));
  for (const int32_t u : best_.units) {
    (problem_.unit(u).required() ? pool_ : dropped_).push_back(u);
  }
  return true;
}

void FleetReduction::LookInRoute(int32_t unit, int32_t slot) {
  if (BelongsElsewhere(unit, slot)) return;
  ListUnits(routes_.route(slot));
  random_.Shuffle(std::span<int32_t>(units_));
  chosen_.clear();
  candidates_.clear();
  int64_t failures = 0;
  for (const int32_t u : units_) {
    if (!conflicts_.Conflict(unit, u)) {
      candidates_.emplace_back(failures_[u], u);
      continue;
    }
    chosen_.push_back(u);
    failures += failures_[u];
    if (std::ssize(chosen_) > kMostEjected || failures >= best_.failures) return;
  }
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const int32_t u : chosen_) leaving_[u] = 1;
  fit_.Begin(unit, routes_.route(slot), leaving_);
  tries_left_ = fit_.judges() ? kMostTried : kMostMeasured;
  if (!chosen_.empty() && fit_.Fits()) Try(unit, slot, failures);
  const auto conflicts = static_cast<int32_t>(chosen_.size());
  for (int32_t more = 1; conflicts + more <= kMostEjected; ++more) {
    Extend(unit, slot, 0, more, failures);
  }
  for (const int32_t u : chosen_) leaving_[u] = 0;
}

void FleetReduction::Extend(int32_t unit, int32_t slot, size_t from, int32_t more,
                            int64_t failures) {
  for (size_t i = from; i < candidates_.size(); ++i) {
    const auto [own, u] = candidates_[i];
    if (failures + more * own >= best_.failures || tries_left_ <= 0) return;
    if (more == 1) {
      if (--tries_left_ % kTriesPerPoll == 0 && options_->stop.ShouldStop()) tries_left_ = 0;
      if (!fit_.FitsWithout(u)) continue;
    }
    chosen_.push_back(u);
    leaving_[u] = 1;
    if (more == 1) {
      Try(unit, slot, failures + own);
    } else {
      fit_.Remove(u);
      Extend(unit, slot, i + 1, more - 1, failures + own);
      fit_.Restore();
    }
    leaving_[u] = 0;
    chosen_.pop_back();
  }
}

void FleetReduction::Try(int32_t unit, int32_t slot, int64_t failures) {
  const SearchRoute& route = routes_.route(slot);
  if (!HasRoom(route, unit) || !Without(route, left_)) return;
  const InsertionPlace place = insertion_.FindIn(unit, slot, left_, Problem::kNever);
  if (!place.found()) return;
  best_.failures = failures;
  best_.slot = slot;
  best_.units = chosen_;
  const auto filled = insertion_.Filled(place);
  best_.nodes.assign(filled.begin(), filled.end());
}

bool FleetReduction::HasRoom(const SearchRoute& route, int32_t unit) const {
  if (!problem_.plain_loads()) return true;
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const NodeIndex node = problem_.NodesOf(problem_.unit(unit)).front();
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    double load = route.load[k] + problem_.delivered(node)[k];
    for (const int32_t u : chosen_) {
      load -= problem_.delivered(problem_.NodesOf(problem_.unit(u)).front())[k];
    }
    if (load > vehicle.capacity[k]) return false;
  }
  return true;
}

void FleetReduction::Perturb() {
  const auto& servable = routes_.servable();
  for (int32_t i = 0; i < kMoves; ++i) {
    if (i % kTriesPerPoll == kTriesPerPoll - 1 && options_->stop.ShouldStop()) return;
    const int32_t unit = servable[random_.Below(static_cast<int32_t>(servable.size()))];
    const Unit& moved = problem_.unit(unit);
    const auto related = problem_.Related(problem_.NodesOf(moved)[random_.Below(moved.count)]);
    if (related.empty()) return;
    const auto near = std::min(kRelated, static_cast<int32_t>(related.size()));
    const NodeIndex beside = related[random_.Below(near)];
    if (problem_.is_depot(beside) || routes_.RouteOf(beside) < 0 || SlotOf(unit) < 0) continue;
    if (random_.Unit() < kRelocations) {
      Move(unit, beside);
    } else {
      Exchange(unit, problem_.UnitOf(beside));
    }
  }
  if (problem_.vehicles().size() == 1) return;
  const int32_t slot = random_.Below(routes_.slots());
  if (!routes_.route(slot).empty()) types_.Shake(slot);
}

void FleetReduction::Move(int32_t unit, NodeIndex beside) {
  const int32_t from = SlotOf(unit);
  const int32_t to = routes_.RouteOf(beside);
  InsertionPlace place;
  if (from != to) {
    place = insertion_.FindIn(unit, to, routes_.route(to), Problem::kNever);
    if (!place.found()) return;
  }
  leaving_[unit] = 1;
  const bool feasible = Without(routes_.route(from), left_);
  leaving_[unit] = 0;
  if (!feasible) return;
  if (from == to) {
    place = insertion_.FindIn(unit, to, left_, Problem::kNever);
    if (!place.found()) return;
  }
  const std::span<const NodeIndex> filled = insertion_.Filled(place);
  if (from != to) {
    if (left_.size() <= 2) left_.nodes.clear();
    routes_.SetRoute(from, left_.type, left_.nodes);
  }
  routes_.SetRoute(to, routes_.route(to).type, filled);
}

void FleetReduction::Exchange(int32_t unit, int32_t other) {
  const int32_t from = SlotOf(unit);
  const int32_t to = SlotOf(other);
  if (to < 0 || from == to || IsGrouped(unit) || IsGrouped(other)) return;
  const auto without = [&](int32_t slot, int32_t u, SearchRoute& left) {
    leaving_[u] = 1;
    const bool feasible = Without(routes_.route(slot), left);
    leaving_[u] = 0;
    return feasible;
  };
  if (!without(to, other, other_left_)) return;
  const InsertionPlace there = insertion_.FindIn(unit, to, other_left_, Problem::kNever);
  if (!there.found()) return;
  const std::span<const NodeIndex> filled = insertion_.Filled(there);
  pair_.assign(filled.begin(), filled.end());
  if (!without(from, unit, left_)) return;
  const InsertionPlace here = insertion_.FindIn(other, from, left_, Problem::kNever);
  if (!here.found()) return;
  const int32_t type = routes_.route(to).type;
  routes_.SetRoute(to, type, {});
  routes_.SetRoute(from, left_.type, insertion_.Filled(here));
  routes_.SetRoute(to, type, pair_);
}

bool FleetReduction::BelongsElsewhere(int32_t unit, int32_t slot) const {
  return std::ranges::all_of(problem_.NodesOf(problem_.unit(unit)), [&](NodeIndex node) {
    const int32_t bound = routes_.BoundSlot(node);
    return bound >= 0 && bound != slot;
  });
}

bool FleetReduction::IsGrouped(int32_t unit) const {
  return std::ranges::any_of(problem_.NodesOf(problem_.unit(unit)), [&](NodeIndex node) {
    return !problem_.rules().GroupOf(node).empty();
  });
}

int32_t FleetReduction::SlotOf(int32_t unit) const {
  const Unit& wanted = problem_.unit(unit);
  if (wanted.slot >= 0) return -1;
  for (const NodeIndex node : problem_.NodesOf(wanted)) {
    const int32_t slot = routes_.RouteOf(node);
    if (slot < 0) continue;
    return routes_.PositionOf(node) > routes_.route(slot).fixed ? slot : -1;
  }
  return -1;
}

void FleetReduction::ListUnits(const SearchRoute& route) {
  units_.clear();
  for (int32_t i = route.fixed + 1; i + 1 < route.size(); ++i) {
    const NodeIndex node = route.nodes[i];
    if (problem_.is_depot(node)) continue;
    const int32_t index = problem_.UnitOf(node);
    const bool again = problem_.IsDelivery(node);
    if (problem_.unit(index).slot < 0 && !again) units_.push_back(index);
  }
}

bool FleetReduction::Without(const SearchRoute& route, SearchRoute& left) {
  const Vehicle& vehicle = problem_.vehicle(route.type);
  left.type = route.type;
  left.fixed = route.fixed;
  left.nodes.clear();
  left.edge.clear();
  int32_t last = 0;
  for (int32_t i = 0; i < route.size(); ++i) {
    const NodeIndex node = route.nodes[i];
    const bool visit = i > 0 && i + 1 < route.size() && !problem_.is_depot(node);
    if (visit && leaving_[problem_.UnitOf(node)]) continue;
    if (i > 0) {
      left.edge.push_back(last + 1 == i ? route.edge[last]
                                        : problem_.Distance(vehicle, left.nodes.back(), node));
    }
    left.nodes.push_back(node);
    last = i;
  }
  if (route.reloads > 0) {
    DropEmptyTrips(problem_, vehicle, left.nodes);
    MeasureEdges(problem_, left);
  }
  return MeasureRoute(problem_, routes_.evaluator(), left);
}

}  // namespace vrp
