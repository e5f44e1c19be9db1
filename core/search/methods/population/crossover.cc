#include "core/search/methods/population/crossover.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vrp {

std::vector<NodeIndex> CrossTours(const Individual& a, const Individual& b, FastRandom& random) {
  const auto size = static_cast<int32_t>(a.customers.size());
  const int32_t begin = random.Below(size);
  const int32_t count = random.Between(1, size);
  std::vector<NodeIndex> tour(size);
  std::vector<char> is_taken(a.next.size(), 0);
  const auto wrap = [size](int32_t i) { return i < size ? i : i - size; };
  for (int32_t i = 0; i < count; ++i) {
    const int32_t at = wrap(begin + i);
    tour[at] = a.customers[at];
    is_taken[tour[at]] = 1;
  }
  int32_t to = wrap(begin + count);
  const int32_t start = to;
  for (int32_t i = 0; i < size; ++i) {
    const NodeIndex node = b.customers[wrap(start + i)];
    if (is_taken[node]) continue;
    tour[to] = node;
    to = wrap(to + 1);
  }
  return tour;
}

Offspring RouteExchange::Cross(const Individual& a, const Individual& b) {
  SelectFrom(a);
  SelectLike(b);
  const bool keep_b_intact = random_.Below(2) == 0;
  Offspring child;
  const auto add = [&](const Individual& parent, int32_t index, auto drop) {
    Offspring::Route kept = {.type = parent.types[index]};
    const auto route = parent.Route(index);
    std::copy_if(route.begin(), route.end(), std::back_inserter(kept.customers),
                 [&](NodeIndex node) { return !drop(node); });
    kept.is_settled = &parent == &a && kept.customers.size() == route.size();
    child.routes.push_back(std::move(kept));
  };
  std::vector<char> served(problem_.units(), 0);
  for (int32_t index = 0; index < a.num_routes(); ++index) {
    if (from_a_[index]) continue;
    add(a, index, [&](NodeIndex node) { return keep_b_intact && IsMarked(in_b_, node); });
    Mark(child.routes.back().customers, served);
  }
  for (int32_t index = 0; index < b.num_routes(); ++index) {
    if (from_b_[index]) add(b, index, [&](NodeIndex node) { return IsMarked(served, node); });
  }
  return child;
}

void RouteExchange::Mark(std::span<const NodeIndex> route, std::vector<char>& units) const {
  for (const NodeIndex node : route) {
    if (!problem_.is_depot(node)) units[problem_.UnitOf(node)] = 1;
  }
}

// The routes of the customers nearest to one drawn by lot.
void RouteExchange::SelectFrom(const Individual& a) {
  route_of_.assign(problem_.size(), -1);
  for (auto index = static_cast<int32_t>(problem_.frozen().size()); index < a.num_routes();
       ++index) {
    for (const NodeIndex node : a.Route(index)) route_of_[node] = index;
  }
  from_a_.assign(a.num_routes(), 0);
  in_a_.assign(problem_.units(), 0);
  if (a.customers.empty()) return;
  const int32_t wanted = random_.Between(1, std::max(1, a.num_routes() / 2));
  const NodeIndex seed = a.customers[random_.Below(static_cast<int32_t>(a.customers.size()))];
  int32_t selected = 0;
  const auto select = [&](int32_t index) {
    if (index < 0 || from_a_[index]) return;
    from_a_[index] = 1;
    ++selected;
    Mark(a.Route(index), in_a_);
  };
  select(route_of_[seed]);
  for (const NodeIndex near : problem_.Near(seed)) {
    if (selected >= wanted) break;
    select(route_of_[near]);
  }
}

void RouteExchange::SelectLike(const Individual& b) {
  from_b_.assign(b.num_routes(), 0);
  in_b_.assign(problem_.units(), 0);
  for (auto index = static_cast<int32_t>(problem_.frozen().size()); index < b.num_routes();
       ++index) {
    const auto route = b.Route(index);
    const auto shared = std::count_if(route.begin(), route.end(),
                                      [&](NodeIndex node) { return IsMarked(in_a_, node); });
    if (2 * shared <= std::ssize(route)) continue;
    from_b_[index] = 1;
    Mark(route, in_b_);
  }
}

PenalisedExchange::PenalisedExchange(const PenalisedRoutes& routes, FastRandom& random)
    : routes_(routes), problem_(routes.problem()), random_(random), exchange_(problem_, random) {}

Offspring PenalisedExchange::Cross(const Individual& a, const Individual& b) {
  child_ = {};
  used_.assign(problem_.vehicles().size(), 0);
  is_served_.assign(problem_.size(), 0);
  for (Offspring::Route& route : exchange_.Cross(a, b).routes) Add(std::move(route));
  InsertMissing();
  return std::move(child_);
}

void PenalisedExchange::Add(Offspring::Route route) {
  if (route.customers.empty()) return;
  for (const NodeIndex node : route.customers) route.load += routes_.demand(node);
  if (!HasVehicle(route.type)) {
    route.is_settled = false;
    double least = Problem::kNever;
    const int32_t wanted = route.type;
    for (int32_t type = 0; type < std::ssize(used_); ++type) {
      if (type == wanted || !HasVehicle(type)) continue;
      const int32_t slot = routes_.FirstOf(type);
      const PenalisedRoutes::Route& vehicle = routes_.route(slot);
      const double cost = vehicle.fixed + routes_.LoadPenalty(vehicle, route.load);
      if (cost >= least || !routes_.Allowed(slot, route.customers)) continue;
      least = cost;
      route.type = type;
    }
    if (route.type == wanted) return;
  }
  ++used_[route.type];
  for (const NodeIndex node : route.customers) is_served_[node] = 1;
  child_.routes.push_back(std::move(route));
}

void PenalisedExchange::InsertMissing() {
  std::vector<NodeIndex> missing;
  for (const NodeIndex node : routes_.customers()) {
    if (!is_served_[node]) missing.push_back(node);
  }
  random_.Shuffle(std::span<NodeIndex>(missing));
  for (const NodeIndex node : missing) Insert(node);
}

void PenalisedExchange::Insert(NodeIndex customer) {
  const double demand = routes_.demand(customer);
  double least = routes_.optional(customer) ? routes_.prize(customer) : Problem::kNever;
  int32_t opened = -1;  // the type of a new route
  for (int32_t type = 0; type < std::ssize(used_); ++type) {
    const int32_t slot = routes_.FirstOf(type);
    if (!HasVehicle(type) || !routes_.Allowed(slot, {&customer, 1})) continue;
    const PenalisedRoutes::Route& vehicle = routes_.route(slot);
    const NodeIndex start = problem_.vehicle(type).start;
    const double cost = vehicle.fixed + routes_.Edge(slot, start, customer) +
                        routes_.Edge(slot, customer, problem_.vehicle(type).end) +
                        routes_.LoadPenalty(vehicle, demand);
    if (cost >= least) continue;
    least = cost;
    opened = type;
  }
  Offspring::Route* best = nullptr;
  int64_t at = 0;
  for (Offspring::Route& route : child_.routes) {
    const int32_t slot = routes_.FirstOf(route.type);
    const PenalisedRoutes::Route& vehicle = routes_.route(slot);
    const double penalty = routes_.LoadPenalty(vehicle, route.load + demand) -
                           routes_.LoadPenalty(vehicle, route.load);
    if (penalty >= least || !routes_.Allowed(slot, {&customer, 1})) continue;
    const Vehicle& type = problem_.vehicle(route.type);
    const double* edges = vehicle.edges;
    const int64_t stride = routes_.edges().stride();
    NodeIndex before = type.start;
    for (int64_t i = 0; i <= std::ssize(route.customers); ++i) {
      const NodeIndex after = i < std::ssize(route.customers) ? route.customers[i] : type.end;
      const double cost = penalty + edges[before * stride + customer] +
                          edges[customer * stride + after] - edges[before * stride + after];
      if (cost < least) {
        least = cost;
        best = &route;
        at = i;
      }
      before = after;
    }
  }
  if (best == nullptr) {
    if (opened < 0) return;
    ++used_[opened];
    child_.routes.push_back({opened, {customer}, false, demand});
    return;
  }
  best->customers.insert(best->customers.begin() + at, customer);
  best->is_settled = false;
  best->load += demand;
}

}  // namespace vrp
