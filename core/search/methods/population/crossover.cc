#include "core/search/methods/population/crossover.h"

#include <algorithm>
#include <limits>
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

RouteExchange::RouteExchange(const Problem& problem, FastRandom& random)
    : problem_(problem), random_(random), route_of_(problem.size(), -1) {}

Offspring RouteExchange::Cross(const Individual& a, const Individual& b, const Penalties& penalties,
                               int32_t max_routes) {
  child_ = {};
  SelectFrom(a);
  SelectLike(b);
  Assemble(a, b, max_routes);
  InsertMissing(penalties, max_routes);
  return std::move(child_);
}

// The routes of the customers nearest to one drawn by lot.
void RouteExchange::SelectFrom(const Individual& a) {
  for (int32_t index = 0; index < a.num_routes(); ++index) {
    for (const NodeIndex node : a.Route(index)) route_of_[node] = index;
  }
  from_a_.assign(a.num_routes(), 0);
  in_a_.assign(problem_.size(), 0);
  const int32_t wanted = random_.Between(1, std::max(1, a.num_routes() / 2));
  const NodeIndex seed = a.customers[random_.Below(static_cast<int32_t>(a.customers.size()))];
  int32_t selected = 0;
  const auto select = [&](int32_t index) {
    if (index < 0 || from_a_[index]) return;
    from_a_[index] = 1;
    ++selected;
    for (const NodeIndex node : a.Route(index)) in_a_[node] = 1;
  };
  select(route_of_[seed]);
  for (const NodeIndex near : problem_.Near(seed)) {
    if (selected >= wanted) break;
    if (problem_.Servable(near)) select(route_of_[near]);
  }
}

void RouteExchange::SelectLike(const Individual& b) {
  from_b_.assign(b.num_routes(), 0);
  in_b_.assign(problem_.size(), 0);
  for (int32_t index = 0; index < b.num_routes(); ++index) {
    const auto route = b.Route(index);
    const auto shared =
        std::count_if(route.begin(), route.end(), [&](NodeIndex node) { return in_a_[node]; });
    if (2 * shared <= std::ssize(route)) continue;
    from_b_[index] = 1;
    for (const NodeIndex node : route) in_b_[node] = 1;
  }
}

void RouteExchange::Assemble(const Individual& a, const Individual& b, int32_t max_routes) {
  const bool keep_b_intact = random_.Below(2) == 0;
  is_served_.assign(problem_.size(), 0);
  const auto add = [&](std::span<const NodeIndex> route, auto drop) {
    std::vector<NodeIndex> kept;
    for (const NodeIndex node : route) {
      if (drop(node)) continue;
      kept.push_back(node);
      is_served_[node] = 1;
    }
    if (kept.empty()) return;
    child_.is_settled.push_back(kept.size() == route.size());
    child_.routes.push_back(std::move(kept));
  };
  for (int32_t index = 0; index < a.num_routes(); ++index) {
    if (from_a_[index]) continue;
    add(a.Route(index), [&](NodeIndex node) { return keep_b_intact && in_b_[node]; });
  }
  for (int32_t index = 0; index < b.num_routes(); ++index) {
    if (!from_b_[index] || std::ssize(child_.routes) >= max_routes) continue;
    add(b.Route(index), [&](NodeIndex node) { return is_served_[node] != 0; });
    child_.is_settled.back() = 0;
  }
}

void RouteExchange::InsertMissing(const Penalties& penalties, int32_t max_routes) {
  std::vector<NodeIndex> missing;
  for (NodeIndex node = 1; node < problem_.size(); ++node) {
    if (problem_.Servable(node) && !is_served_[node]) missing.push_back(node);
  }
  random_.Shuffle(std::span<NodeIndex>(missing));
  loads_.clear();
  for (const std::vector<NodeIndex>& route : child_.routes) {
    double load = 0;
    for (const NodeIndex node : route) load += problem_.demand(node);
    loads_.push_back(load);
  }
  for (const NodeIndex node : missing) {
    Insert(node, penalties, std::ssize(child_.routes) < max_routes);
  }
}

void RouteExchange::Insert(NodeIndex customer, const Penalties& penalties, bool may_open) {
  const double demand = problem_.demand(customer);
  const auto over = [&](double load) { return problem_.ExcessLoad(load) * penalties.load; };
  double least = may_open ? problem_.Distance(0, customer) + problem_.Distance(customer, 0)
                          : std::numeric_limits<double>::infinity();
  int32_t best = -1;
  int64_t at = 0;
  for (int32_t index = 0; index < std::ssize(child_.routes); ++index) {
    const double penalty = over(loads_[index] + demand) - over(loads_[index]);
    if (penalty >= least) continue;
    const std::vector<NodeIndex>& route = child_.routes[index];
    NodeIndex before = 0;
    for (int64_t i = 0; i <= std::ssize(route); ++i) {
      const NodeIndex after = i < std::ssize(route) ? route[i] : 0;
      const double cost = penalty + problem_.Distance(before, customer) +
                          problem_.Distance(customer, after) - problem_.Distance(before, after);
      if (cost < least) {
        least = cost;
        best = index;
        at = i;
      }
      before = after;
    }
  }
  if (best < 0) {
    child_.routes.push_back({customer});
    child_.is_settled.push_back(0);
    loads_.push_back(demand);
    return;
  }
  child_.routes[best].insert(child_.routes[best].begin() + at, customer);
  child_.is_settled[best] = 0;
  loads_[best] += demand;
}

}  // namespace vrp
