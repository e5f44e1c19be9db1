#include "core/search/ruin_recreate/ruin.h"

#include <algorithm>

namespace vrp {
namespace {

// How often a whole route goes.
constexpr double kRouteRate = 0.03;
// How often customers that must share a route leave it together. How often a ruin for an absent one
// begins at those that are served. (Measured at equal time, 61 to 96 customers, half of them in
// groups of 2 to 4: leaving together never, or with 0.8 or 0.3, cost 0.2 to 0.7 % more.)
constexpr double kWholeGroupRate = 0.5;
constexpr double kBesideGroupRate = 0.5;
// Slots are drawn for each route that is wanted.
constexpr int32_t kSlotDraws = 8;
// How often the seed is in the route with the largest or smallest balanced measure.
constexpr double kExtremeRate = 0.3;

}  // namespace

Ruin::Ruin(RouteStore& routes, FastRandom& random)
    : routes_(routes),
      random_(random),
      any_leaves_(!routes.problem().has_shipments() && !routes.problem().has_reloads() &&
                  !routes.problem().rules().has_groups() && routes.problem().frozen().empty()) {}

std::span<const int32_t> Ruin::Remove(bool beside_absent) {
  Begin();
  seed_ = DrawSeed(beside_absent);
  if (routes_.used() == 0) return {};
  whole_groups_ = routes_.problem().rules().has_groups() && random_.Unit() < kWholeGroupRate;
  if (routes_.RouteOf(seed_) >= 0 && random_.Unit() < kRouteRate) {
    MarkRoute(routes_.RouteOf(seed_));
    TakeOutMarked();
    return removed_;
  }
  const auto served =
      static_cast<double>(std::ssize(routes_.servable()) - std::ssize(routes_.absent()));
  RemoveStrings(routes_, random_, seed_, DrawStringSizes(random_, served, routes_.used()), ruined_,
                [&](int32_t slot, const RemovedString& string) {
                  if (any_leaves_) return TakeOutString(slot, string);
                  const int32_t rest = string.begin + string.first + string.kept;
                  MarkRange(routes_.route(slot), string.begin, string.begin + string.first);
                  MarkRange(routes_.route(slot), rest, rest + string.rest);
                });
  if (!any_leaves_) TakeOutMarked();
  return removed_;
}

void Ruin::TakeOutString(int32_t slot, const RemovedString& string) {
  const int32_t rest = string.begin + string.first + string.kept;
  if (string.rest > 0) TakeOut(slot, rest, string.rest);
  if (!routes_.route(slot).empty()) TakeOut(slot, string.begin, string.first);
}

void Ruin::TakeOut(int32_t slot, int32_t begin, int32_t count) {
  const auto remember = [&](int32_t first, int32_t last) {
    for (int32_t i = first; i < last; ++i) {
      removed_.push_back(routes_.problem().UnitOf(left_[i]));
    }
  };
  left_ = routes_.route(slot).nodes;
  remember(begin, begin + count);
  if (routes_.Remove(slot, begin, count)) return;
  // Where a detour can be shorter than the direct way, the rest may come too late: all go.
  remember(1, begin);
  remember(begin + count, static_cast<int32_t>(left_.size()) - 1);
}

void Ruin::MarkRoute(int32_t slot) {
  ruined_.push_back(slot);
  MarkRange(routes_.route(slot), 1, routes_.route(slot).size() - 1);
}

std::span<const int32_t> Ruin::RemoveSomeRoutes(int32_t count) {
  const Problem& problem = routes_.problem();
  Begin();
  seed_ = DrawSeed(true);
  if (routes_.used() == 0) return {};
  for (int32_t draw = 0; draw < kSlotDraws * count && std::ssize(ruined_) < count; ++draw) {
    const int32_t slot = random_.Below(routes_.slots());
    const SearchRoute& route = routes_.route(slot);
    if (route.empty() || std::ranges::count(ruined_, slot) > 0) continue;
    if (ruined_.empty() && !problem.Allowed(problem.vehicle(route.type), seed_)) continue;
    MarkRoute(slot);
  }
  TakeOutMarked();
  return removed_;
}

void Ruin::Begin() {
  marked_.resize(routes_.problem().size(), 0);
  removed_.clear();
  ruined_.clear();
}

NodeIndex Ruin::DrawSeed(bool beside_absent) {
  const Problem& problem = routes_.problem();
  const std::vector<int32_t>& absent = routes_.absent();
  if (beside_absent && routes_.missing_weight() > 0) {
    const Unit& unit = problem.unit(absent[random_.Below(static_cast<int32_t>(absent.size()))]);
    if (unit.required()) return BesideGroup(problem.NodesOf(unit)[random_.Below(unit.count)]);
  }
  if (routes_.balance().active() && random_.Unit() < kExtremeRate) {
    const BalanceOutlook outlook(routes_.balance(), routes_.routes());
    const int32_t slot = random_.Unit() < 0.5 ? outlook.largest_slot() : outlook.smallest_slot();
    const NodeIndex node = slot < 0 ? 0 : routes_.route(slot).nodes[RandomVisit(slot)];
    if (slot >= 0 && !problem.is_depot(node)) return node;
  }
  return problem.depots() + random_.Below(problem.size() - problem.depots());
}

int32_t Ruin::RandomVisit(int32_t slot) {
  return 1 + random_.Below(routes_.route(slot).size() - 2);
}

NodeIndex Ruin::BesideGroup(NodeIndex absent) {
  const auto group = routes_.problem().rules().GroupOf(absent);
  if (group.empty() || random_.Unit() >= kBesideGroupRate) return absent;
  const auto served =
      std::ranges::find_if(group, [&](NodeIndex other) { return routes_.RouteOf(other) >= 0; });
  return served == group.end() ? absent : *served;
}

void Ruin::MarkRange(const SearchRoute& route, int32_t begin, int32_t end) {
  for (int32_t i = std::max(begin, route.fixed + 1); i < end; ++i) {
    if (!routes_.problem().is_depot(route.nodes[i])) MarkUnit(route.nodes[i]);
  }
}

void Ruin::MarkUnit(NodeIndex customer) {
  MarkAlone(customer);
  if (!whole_groups_) return;
  const int32_t slot = routes_.RouteOf(customer);
  for (const NodeIndex other : routes_.problem().rules().GroupOf(customer)) {
    const bool leaves = routes_.RouteOf(other) == slot && slot >= 0 &&
                        routes_.PositionOf(other) > routes_.route(slot).fixed;
    if (leaves) MarkAlone(other);
  }
}

void Ruin::MarkAlone(NodeIndex customer) {
  if (marked_[customer]) return;
  const Problem& problem = routes_.problem();
  const int32_t index = problem.UnitOf(customer);
  removed_.push_back(index);
  marked_[customer] = 1;
  if (problem.OtherEnd(customer) >= 0) marked_[problem.OtherEnd(customer)] = 1;
}

void Ruin::TakeOutMarked() {
  for (const int32_t slot : ruined_) TakeOutMarked(slot);
  for (const int32_t index : removed_) {
    for (const NodeIndex node : routes_.problem().NodesOf(routes_.problem().unit(index))) {
      marked_[node] = 0;
    }
  }
}

void Ruin::TakeOutMarked(int32_t slot) {
  const Problem& problem = routes_.problem();
  const SearchRoute& route = routes_.route(slot);
  left_.clear();
  for (const NodeIndex node : route.nodes) {
    if (node == problem.nowhere() || !marked_[node]) left_.push_back(node);
  }
  DropEmptyTrips(problem, problem.vehicle(route.type), left_);
  if (left_.size() <= 2) left_.clear();
  // A frozen route cannot be given up.
  if (route.fixed > 0 &&
      !routes_.evaluator().Evaluate(problem.vehicle(route.type), left_).feasible) {
    return KeepMarked(slot);
  }
  if (routes_.SetRoute(slot, route.type, left_)) return DropNeedlessReloads(slot);
  // Where a detour can be shorter than the direct way, the rest may come too late: all go.
  for (const NodeIndex node : left_) {
    if (node >= problem.depots() && node != problem.nowhere()) MarkUnit(node);
  }
}

void Ruin::KeepMarked(int32_t slot) {
  const Problem& problem = routes_.problem();
  std::erase_if(removed_, [&](int32_t u) {
    const auto nodes = problem.NodesOf(problem.unit(u));
    const bool here =
        std::ranges::any_of(nodes, [&](NodeIndex node) { return routes_.RouteOf(node) == slot; });
    for (const NodeIndex node : nodes) marked_[node] = marked_[node] && !here;
    return here;
  });
}

void Ruin::DropNeedlessReloads(int32_t slot) {
  const Problem& problem = routes_.problem();
  for (int32_t i = routes_.route(slot).size() - 2; i > routes_.route(slot).fixed; --i) {
    const SearchRoute& route = routes_.route(slot);
    if (route.reloads == 0) return;
    if (!problem.is_depot(route.nodes[i])) continue;
    left_ = route.nodes;
    left_.erase(left_.begin() + i);
    const RouteValue value = routes_.evaluator().Evaluate(problem.vehicle(route.type), left_);
    if (value.feasible && value.cost <= route.cost) routes_.SetRoute(slot, route.type, left_);
  }
}

}  // namespace vrp
