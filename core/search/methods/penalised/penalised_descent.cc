#include "core/search/methods/penalised/penalised_descent.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

constexpr int32_t kNeighbours = 12;

}  // namespace

PenalisedDescent::PenalisedDescent(PenalisedRoutes& routes, FastRandom& random)
    : routes_(routes),
      problem_(routes.problem()),
      random_(random),
      epsilon_(routes.problem().epsilon()),
      is_marked_(problem_.size() + 1, 0) {}

void PenalisedDescent::Mark(NodeIndex customer) {
  if (customer < problem_.depots() || customer >= problem_.size() || is_marked_[customer]) return;
  is_marked_[customer] = 1;
  marked_.push_back(customer);
}

void PenalisedDescent::MarkAround(int32_t slot, int32_t first, int32_t last) {
  const PenalisedRoutes::Route& route = routes_.route(slot);
  for (int32_t i = std::max(first, 1); i <= std::min(last, route.stops()); ++i) {
    Mark(route.nodes[i]);
  }
}

void PenalisedDescent::Run() {
  while (!marked_.empty()) {
    std::swap(marked_[random_.Below(static_cast<int32_t>(marked_.size()))], marked_.back());
    const NodeIndex u = marked_.back();
    marked_.pop_back();
    is_marked_[u] = 0;
    if (routes_.RouteOf(u) >= 0 && Improve(u)) Mark(u);
  }
}

bool PenalisedDescent::Improve(NodeIndex u) {
  int32_t looked = 0;
  for (const NodeIndex v : problem_.Related(u)) {
    if (++looked > kNeighbours) break;
    if (routes_.RouteOf(v) < 0) continue;
    if (routes_.RouteOf(u) == routes_.RouteOf(v) ? TryWithin(u, v) : TryBeside(u, v)) return true;
  }
  return TryEmpty(u);
}

double PenalisedDescent::LimitOf(int32_t a, int32_t b) const {
  const Vehicle& first = problem_.vehicle(routes_.route(a).type);
  const Vehicle& second = problem_.vehicle(routes_.route(b).type);
  if (!problem_.one_distance() || first.per_distance != second.per_distance ||
      first.per_distance <= 0 || first.needs_duration || second.needs_duration) {
    return Problem::kNever;
  }
  const double opens = routes_.route(b).empty() ? second.fixed : 0;
  const double closes = routes_.route(a).stops() <= 2 ? first.fixed : 0;
  const double penalty = routes_.PenaltyOf(a) + (a == b ? 0 : routes_.PenaltyOf(b));
  return (penalty + closes - opens - epsilon_) / first.per_distance;
}

bool PenalisedDescent::TryExchange(int32_t a, int32_t at, int32_t count, int32_t b,
                                   int32_t other_at, int32_t other_count) {
  const PenalisedRoutes::Route& from = routes_.route(a);
  const PenalisedRoutes::Route& to = routes_.route(b);
  const auto moved = std::span(from.nodes).subspan(at + 1, count);
  const auto other = std::span(to.nodes).subspan(other_at + 1, other_count);
  if (!routes_.Allowed(b, moved) || !routes_.Allowed(a, other)) return false;
  const double before = routes_.PenalisedCostOf(a) + routes_.PenalisedCostOf(b);
  double now = routes_.PenalisedCostOf(a, at, other, a, at + count + 1);
  if (now >= before - epsilon_) return false;
  now += routes_.PenalisedCostOf(b, other_at, moved, b, other_at + other_count + 1);
  if (now >= before - epsilon_) return false;
  scratch_[0].assign(from.nodes.begin() + 1, from.nodes.begin() + at + 1);
  scratch_[0].insert(scratch_[0].end(), other.begin(), other.end());
  scratch_[0].insert(scratch_[0].end(), from.nodes.begin() + at + count + 1, from.nodes.end() - 1);
  scratch_[1].assign(to.nodes.begin() + 1, to.nodes.begin() + other_at + 1);
  scratch_[1].insert(scratch_[1].end(), moved.begin(), moved.end());
  scratch_[1].insert(scratch_[1].end(), to.nodes.begin() + other_at + other_count + 1,
                     to.nodes.end() - 1);
  routes_.SetCustomers(a, {});
  routes_.SetCustomers(b, scratch_[1]);
  routes_.SetCustomers(a, scratch_[0]);
  MarkAround(a, at, at + other_count + 1);
  MarkAround(b, other_at, other_at + count + 1);
  return true;
}

bool PenalisedDescent::TryTails(int32_t a, int32_t at, int32_t b, int32_t other_at) {
  const PenalisedRoutes::Route& from = routes_.route(a);
  const PenalisedRoutes::Route& to = routes_.route(b);
  const auto moved = std::span(from.nodes).subspan(at + 1, from.stops() - at);
  const auto other = std::span(to.nodes).subspan(other_at + 1, to.stops() - other_at);
  if (!routes_.Allowed(b, moved) || !routes_.Allowed(a, other)) return false;
  const double before = routes_.PenalisedCostOf(a) + routes_.PenalisedCostOf(b);
  double now = routes_.PenalisedCostOf(a, at, {}, b, other_at + 1);
  if (now >= before - epsilon_) return false;
  now += routes_.PenalisedCostOf(b, other_at, {}, a, at + 1);
  if (now >= before - epsilon_) return false;
  scratch_[0].assign(from.nodes.begin() + 1, from.nodes.begin() + at + 1);
  scratch_[0].insert(scratch_[0].end(), other.begin(), other.end());
  scratch_[1].assign(to.nodes.begin() + 1, to.nodes.begin() + other_at + 1);
  scratch_[1].insert(scratch_[1].end(), moved.begin(), moved.end());
  routes_.SetCustomers(a, {});
  routes_.SetCustomers(b, scratch_[1]);
  routes_.SetCustomers(a, scratch_[0]);
  MarkAround(a, at, at + 1);
  MarkAround(b, other_at, other_at + 1);
  return true;
}

bool PenalisedDescent::TryBeside(NodeIndex u, NodeIndex v) {
  const int32_t a = routes_.RouteOf(u);
  const int32_t b = routes_.RouteOf(v);
  const PenalisedRoutes::Route& from = routes_.route(a);
  const PenalisedRoutes::Route& to = routes_.route(b);
  const int32_t i = routes_.PositionOf(u);
  const int32_t j = routes_.PositionOf(v);
  const Vehicle& vehicle = problem_.vehicle(from.type);
  const auto distance = [&](NodeIndex x, NodeIndex y) { return problem_.Distance(vehicle, x, y); };
  const double limit = LimitOf(a, b);
  const NodeIndex p = from.nodes[i - 1];
  const NodeIndex x = from.nodes[i + 1];
  const NodeIndex q = to.nodes[j - 1];
  const NodeIndex y = to.nodes[j + 1];
  const double pu = from.edge[i - 1];
  const double ux = from.edge[i];
  const double qv = to.edge[j - 1];
  const double vy = to.edge[j];
  const double vu = distance(v, u);
  const double uy = distance(u, y);
  const double uv = distance(u, v);
  const double qu = distance(q, u);
  const double spared = distance(p, x) - pu - ux;
  if (spared + vu + uy - vy < limit && TryExchange(a, i - 1, 1, b, j, 0)) return true;
  if (spared + qu + uv - qv < limit && TryExchange(a, i - 1, 1, b, j - 1, 0)) return true;
  const double pv = distance(p, v);
  const double vx = distance(v, x);
  const double heads = pv + qu - pu - qv;
  if (heads + vx + uy - ux - vy < limit && TryExchange(a, i - 1, 1, b, j - 1, 1)) return true;
  if (vu + distance(p, y) - pu - vy < limit && TryTails(a, i - 1, b, j)) return true;
  if (uv + distance(q, x) - ux - qv < limit && TryTails(a, i, b, j - 1)) return true;
  if (i == from.stops()) return false;
  const NodeIndex xx = from.nodes[i + 2];
  const double xy = distance(x, y);
  const double gone = from.edge[i + 1];  // from x
  if (distance(p, xx) - pu - gone + vu + xy - vy < limit && TryExchange(a, i - 1, 2, b, j, 0)) {
    return true;
  }
  if (heads + distance(v, xx) - gone + xy - vy < limit && TryExchange(a, i - 1, 2, b, j - 1, 1)) {
    return true;
  }
  if (j == to.stops()) return false;
  const double back = distance(y, xx) + distance(x, to.nodes[j + 2]) - gone - to.edge[j + 1];
  return heads + back < limit && TryExchange(a, i - 1, 2, b, j - 1, 2);
}

bool PenalisedDescent::SetWithin(int32_t slot) {
  const double now =
      routes_.PenalisedCostOf(slot, 0, scratch_[0], slot, routes_.route(slot).size() - 1);
  if (now >= routes_.PenalisedCostOf(slot) - epsilon_) return false;
  routes_.SetCustomers(slot, scratch_[0]);
  return true;
}

bool PenalisedDescent::TryWithin(NodeIndex u, NodeIndex v) {
  const int32_t slot = routes_.RouteOf(u);
  const int32_t from = routes_.PositionOf(u) - 1;
  const int32_t to = routes_.PositionOf(v) - 1;
  const auto customers = routes_.CustomersOf(slot);
  const auto reset = [&] { scratch_[0].assign(customers.begin(), customers.end()); };
  const auto around = [&] {
    MarkAround(slot, std::min(from, to), std::max(from, to) + 2);
    return true;
  };
  const PenalisedRoutes::Route& route = routes_.route(slot);
  const Vehicle& vehicle = problem_.vehicle(route.type);
  const auto distance = [&](NodeIndex x, NodeIndex y) { return problem_.Distance(vehicle, x, y); };
  const double limit = LimitOf(slot, slot);
  const auto& nodes = route.nodes;
  const double spared =
      distance(nodes[from], nodes[from + 2]) - route.edge[from] - route.edge[from + 1];
  // u behind v, or before it.
  for (const int32_t behind : {1, 0}) {
    const int32_t place = (to > from ? to - 1 : to) + behind;
    if (place == from) continue;
    const NodeIndex head = nodes[to + behind];
    const NodeIndex tail = nodes[to + behind + 1];
    if (spared + distance(head, u) + distance(u, tail) - route.edge[to + behind] >= limit) continue;
    reset();
    scratch_[0].erase(scratch_[0].begin() + from);
    scratch_[0].insert(scratch_[0].begin() + place, u);
    if (SetWithin(slot)) return around();
  }
  if (routes_.PenaltyOf(slot) == 0 && problem_.timed()) return false;
  reset();
  std::swap(scratch_[0][from], scratch_[0][to]);
  if (SetWithin(slot)) return around();
  if (problem_.timed()) return false;
  reset();
  std::reverse(scratch_[0].begin() + std::min(from, to),
               scratch_[0].begin() + std::max(from, to) + 1);
  return SetWithin(slot) && around();
}

bool PenalisedDescent::TryEmpty(NodeIndex u) {
  const int32_t a = routes_.RouteOf(u);
  const int32_t at = routes_.PositionOf(u) - 1;
  for (int32_t type = 0; type < std::ssize(problem_.vehicles()); ++type) {
    const int32_t empty = routes_.EmptyOf(type);
    if (empty < 0 || LimitOf(a, empty) <= 0) continue;
    if (TryExchange(a, at, 1, empty, 0, 0) || TryTails(a, at, empty, 0)) return true;
  }
  return false;
}

}  // namespace vrp
