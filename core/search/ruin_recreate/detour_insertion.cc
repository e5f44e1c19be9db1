#include "core/search/ruin_recreate/detour_insertion.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

constexpr size_t kDetoursTried = 3;
constexpr int32_t kMaxRoutesScanned = 24;
// A unit that fits nowhere is tried beside one of so many near ones: this often, and less often the
// more customers there are, since such a trial takes far longer than an insertion.
constexpr double kPairRate = 0.05;
constexpr double kPairsOfAll = 0.5;  // trials each time that all customers fit nowhere
constexpr size_t kMaxNeighboursTried = 10;

double PairRate(const Instance& instance) {
  if (!MayDetour(instance)) return 0;
  return std::min(kPairRate, kPairsOfAll / std::max(1, instance.num_customers()));
}

}  // namespace

DetourInsertion::DetourInsertion(RouteStore& routes, FastRandom& random)
    : routes_(routes),
      problem_(routes.problem()),
      random_(random),
      pair_rate_(PairRate(problem_.instance())) {}

bool DetourInsertion::Insert(int32_t unit, double limit) {
  const std::span<const Detour> detours = problem_.detours().DetoursOf(unit);
  if (detours.empty()) {
    return pair_rate_ > 0 && random_.Unit() < pair_rate_ && InsertPair(unit, limit);
  }
  const auto count = static_cast<int32_t>(detours.size());
  const int32_t first = random_.Below(count);
  for (size_t i = 0; i < std::min(kDetoursTried, detours.size()); ++i) {
    if (InsertDetour(unit, detours[(first + i) % count], limit)) return true;
  }
  return false;
}

bool DetourInsertion::InsertPair(int32_t unit, double limit) {
  const Unit& own = problem_.unit(unit);
  const NodeIndex node = problem_.NodesOf(own).front();
  const auto near = problem_.Near(node);
  if (own.kind != Unit::Kind::kSingle || near.empty()) return false;
  const auto looked = static_cast<int32_t>(std::min(kMaxNeighboursTried, near.size()));
  const NodeIndex other = near[random_.Below(looked)];
  if (problem_.unit(problem_.UnitOf(other)).kind != Unit::Kind::kSingle) return false;
  Detour pair = {node, other};
  if (random_.Unit() < 0.5) std::swap(pair[0], pair[1]);
  return InsertDetour(unit, pair, limit);
}

bool DetourInsertion::InsertDetour(int32_t unit, std::span<const NodeIndex> detour, double limit) {
  double saved = 0;
  if (!TakeOut(detour, saved)) return false;
  InsertionPlace position;
  if (ReadBound(detour)) position = Find(detour, limit + saved, problem_.unit(unit).required());
  if (position.cost == Problem::kNever) {
    PutBack();
    return false;
  }
  const int32_t slot = position.slot >= 0 ? position.slot : routes_.EmptySlot();
  const int32_t type = position.slot >= 0 ? routes_.route(slot).type : position.type;
  const std::span<const NodeIndex> nodes = WithInserted(detour, position);
  used_ = true;
  return routes_.SetRoute(slot, type, nodes);
}

bool DetourInsertion::TakeOut(std::span<const NodeIndex> detour, double& saved) {
  removed_.clear();
  for (const NodeIndex node : detour) {
    // An alternative may be served by another of its group.
    for (const NodeIndex served : problem_.NodesOf(problem_.unit(problem_.UnitOf(node)))) {
      const int32_t slot = routes_.RouteOf(served);
      if (slot < 0) continue;
      const SearchRoute& route = routes_.route(slot);
      const Unit& unit = problem_.unit(problem_.UnitOf(node));
      if (routes_.PositionOf(served) <= route.fixed || unit.slot >= 0) return PutBack(), false;
      saved += route.cost + problem_.route_weight();
      removed_.push_back({slot, route.type, route.nodes});
      std::vector<NodeIndex> left = route.nodes;
      const auto ends = problem_.NodesOf(unit);
      std::erase_if(left, [&](NodeIndex other) { return std::ranges::count(ends, other) > 0; });
      DropEmptyTrips(problem_, problem_.vehicle(route.type), left);
      if (left.size() <= 2) left.clear();
      if (!routes_.SetRoute(slot, route.type, left)) return PutBack(), false;
      if (!left.empty()) saved -= routes_.route(slot).cost + problem_.route_weight();
    }
  }
  return true;
}

bool DetourInsertion::ReadBound(std::span<const NodeIndex> detour) {
  bound_ = -1;
  for (const NodeIndex node : detour) {
    const int32_t slot = routes_.BoundSlot(node);
    if (slot >= 0 && bound_ >= 0 && slot != bound_) return false;
    bound_ = std::max(bound_, slot);
  }
  return true;
}

void DetourInsertion::PutBack() {
  while (!removed_.empty()) {
    routes_.SetRoute(removed_.back().slot, removed_.back().type, removed_.back().nodes);
    removed_.pop_back();
  }
}

InsertionPlace DetourInsertion::Find(std::span<const NodeIndex> detour, double limit,
                                     bool ignores_fixed_cost) {
  InsertionPlace best;
  const int32_t slots = routes_.slots();
  const int32_t first = slots > kMaxRoutesScanned ? random_.Below(slots) : 0;
  for (int32_t i = 0; bound_ < 0 && i < std::min(slots, kMaxRoutesScanned); ++i) {
    ScanRoute(detour, (first + i) % slots, best);
  }
  if (bound_ >= 0) ScanRoute(detour, bound_, best);
  for (int32_t type = 0; bound_ < 0 && type < std::ssize(problem_.vehicles()); ++type) {
    if (!routes_.CanOpenRoute() || !routes_.HasVehicle(type)) continue;
    InsertionPlace position{.type = type};
    const RouteValue value =
        routes_.evaluator().Evaluate(problem_.vehicle(type), WithInserted(detour, position));
    position.cost = value.cost + problem_.route_weight();
    if (value.feasible && position.cost < best.cost) best = position;
  }
  // Fixed costs are ignored for required units, because serving more ranks first.
  const bool is_exempt = ignores_fixed_cost && best.slot < 0 && best.type >= 0;
  const double ignored =
      is_exempt ? problem_.vehicle(best.type).fixed + problem_.route_weight() : 0;
  if (best.cost - ignored >= limit) best.cost = Problem::kNever;
  return best;
}

void DetourInsertion::ScanRoute(std::span<const NodeIndex> detour, int32_t slot,
                                InsertionPlace& best) {
  const SearchRoute& route = routes_.route(slot);
  if (route.empty()) return;
  const Vehicle& vehicle = problem_.vehicle(route.type);
  for (int32_t after = route.fixed; after + 1 < route.size(); ++after) {
    InsertionPlace position{.slot = slot, .after = after};
    const RouteValue value = routes_.evaluator().Evaluate(vehicle, WithInserted(detour, position));
    position.cost = value.cost - route.cost;
    if (value.feasible && position.cost < best.cost) best = position;
  }
}

std::span<const NodeIndex> DetourInsertion::WithInserted(std::span<const NodeIndex> detour,
                                                         const InsertionPlace& position) {
  if (position.slot < 0) {
    filled_ = WithEnds(problem_.vehicle(position.type), detour);
    return filled_;
  }
  const SearchRoute& route = routes_.route(position.slot);
  filled_ = route.nodes;
  filled_.insert(filled_.begin() + position.after + 1, detour.begin(), detour.end());
  return filled_;
}

}  // namespace vrp
