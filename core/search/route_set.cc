#include "core/search/route_set.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vrp {

RouteSet::RouteSet(const SearchProblem& problem) : problem_(&problem) {
  places_.resize(problem.size());
  for (NodeIndex node = 1; node < problem.size(); ++node) {
    if (problem.Servable(node)) absent_.push_back(node);
  }
}

void RouteSet::Load(const Plan& plan) {
  std::vector<char> seen(problem_->size(), 0);
  std::vector<std::vector<NodeIndex>> kept;
  for (const PlannedRoute& planned : plan) {
    std::vector<NodeIndex> nodes = {0};
    for (const NodeIndex node : planned.customers) {
      if (node < 1 || node >= problem_->size() || seen[node] || !problem_->Servable(node)) continue;
      nodes.push_back(node);
      seen[node] = 1;
    }
    nodes.push_back(0);
    if (!problem_->SequenceFeasible(nodes)) {
      std::vector<NodeIndex> feasible = {0, 0};
      for (size_t i = 1; i + 1 < nodes.size(); ++i) {
        feasible.insert(feasible.end() - 1, nodes[i]);
        if (!problem_->SequenceFeasible(feasible)) feasible.erase(feasible.end() - 2);
      }
      nodes = std::move(feasible);
    }
    if (nodes.size() > 2) kept.push_back(std::move(nodes));
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  if (std::ssize(kept) > problem_->max_routes()) kept.resize(problem_->max_routes());
  for (int32_t r = 0; r < std::ssize(routes_); ++r) Remove(r, 1, routes_[r].customers());
  for (const auto& nodes : kept) SetRoute(EmptyRoute(), nodes);
  std::vector<NodeIndex> absent;
  for (NodeIndex node = 1; node < problem_->size(); ++node) {
    if (problem_->Servable(node) && places_[node].route < 0) absent.push_back(node);
  }
  SetAbsent(std::move(absent));
}

Plan RouteSet::ToPlan() const {
  Plan plan;
  for (const SearchRoute& route : routes_) {
    if (route.empty()) continue;
    plan.push_back(
        {.vehicle_type = 0, .customers = {route.nodes.begin() + 1, route.nodes.end() - 1}});
  }
  return plan;
}

void RouteSet::SetRoute(int32_t index, std::span<const NodeIndex> nodes) {
  Touch(index);
  SearchRoute& route = routes_[index];
  distance_ -= route.distance;
  used_ -= !route.empty();
  for (const NodeIndex node : route.nodes) {
    if (places_[node].route == index) places_[node].route = -1;
  }
  route.nodes.assign(nodes.begin(), nodes.end());
  Measure(route);
  distance_ += route.distance;
  used_ += !route.empty();
  Place(index, 1);
}

void RouteSet::Measure(SearchRoute& route) {
  const SearchProblem& p = *problem_;
  const auto size = static_cast<int32_t>(route.nodes.size());
  route.edge.resize(size - 1);
  route.load = 0;
  for (int32_t i = 0; i + 1 < size; ++i) {
    route.edge[i] = p.Distance(route.nodes[i], route.nodes[i + 1]);
    route.load += p.demand(route.nodes[i]);
  }
  if (route.empty())
    route.edge[0] = 0;  // an unused vehicle costs nothing, whatever the matrix says
  route.distance = std::accumulate(route.edge.begin(), route.edge.end(), 0.0);
  if (!p.timed()) return;
  route.departure.resize(size);
  route.latest.resize(size);
  route.departure[0] = p.DepartureAfter(0, p.open(0));
  for (int32_t i = 1; i < size; ++i) {
    const double arrival = route.departure[i - 1] + p.Duration(route.nodes[i - 1], route.nodes[i]);
    route.departure[i] = p.DepartureAfter(route.nodes[i], arrival);
  }
  route.latest[size - 1] = p.close(0);
  for (int32_t i = size - 2; i >= 0; --i) {
    const NodeIndex node = route.nodes[i];
    route.latest[i] =
        std::min(p.close(node),
                 route.latest[i + 1] - p.Duration(node, route.nodes[i + 1]) - p.service(node));
  }
}

void RouteSet::Place(int32_t index, int32_t from) {
  const SearchRoute& route = routes_[index];
  const NodeIndex* nodes = route.nodes.data();
  for (int32_t i = std::max(1, from - 1); i + 1 < std::ssize(route.nodes); ++i) {
    places_[nodes[i]] = {.route = index,
                         .position = i,
                         .before = nodes[i - 1],
                         .after = nodes[i + 1],
                         .edge_before = route.edge[i - 1],
                         .edge_after = route.edge[i]};
  }
}

void RouteSet::Insert(NodeIndex customer, InsertionSpot spot) {
  Touch(spot.route);
  const SearchProblem& p = *problem_;
  SearchRoute& route = routes_[spot.route];
  const int32_t at = spot.after + 1;
  used_ += route.empty();
  const double into = p.Distance(route.nodes[spot.after], customer);
  const double out = p.Distance(customer, route.nodes[at]);
  const double added = into + out - route.edge[spot.after];
  route.nodes.insert(route.nodes.begin() + at, customer);
  route.edge[spot.after] = into;
  route.edge.insert(route.edge.begin() + at, out);
  route.load += p.demand(customer);
  route.distance += added;
  distance_ += added;
  Place(spot.route, at);
  if (!p.timed()) return;
  route.departure.insert(route.departure.begin() + at, 0);
  route.latest.insert(route.latest.begin() + at, 0);
  for (int32_t i = at; i < std::ssize(route.nodes); ++i) {
    const double arrival = route.departure[i - 1] + p.Duration(route.nodes[i - 1], route.nodes[i]);
    const double departure = p.DepartureAfter(route.nodes[i], arrival);
    if (i > at && departure == route.departure[i]) break;
    route.departure[i] = departure;
  }
  for (int32_t i = at; i >= 0; --i) {
    const NodeIndex node = route.nodes[i];
    const double latest =
        std::min(p.close(node),
                 route.latest[i + 1] - p.Duration(node, route.nodes[i + 1]) - p.service(node));
    if (i < at && latest == route.latest[i]) break;
    route.latest[i] = latest;
  }
}

void RouteSet::Remove(int32_t index, int32_t begin, int32_t count) {
  if (count == 0) return;
  Touch(index);
  SearchRoute& route = routes_[index];
  distance_ -= route.distance;
  for (int32_t i = begin; i < begin + count; ++i) places_[route.nodes[i]].route = -1;
  route.nodes.erase(route.nodes.begin() + begin, route.nodes.begin() + begin + count);
  Measure(route);
  distance_ += route.distance;
  used_ -= route.empty();
  Place(index, begin);
}

void RouteSet::SetAbsent(std::vector<NodeIndex> absent) { absent_ = std::move(absent); }

int32_t RouteSet::EmptyRoute() {
  for (; first_empty_ < std::ssize(routes_); ++first_empty_) {
    if (routes_[first_empty_].empty()) return first_empty_;
  }
  routes_.emplace_back();
  routes_.back().nodes = {0, 0};
  Measure(routes_.back());
  distance_ += routes_.back().distance;
  saved_in_.push_back(0);
  is_changed_.push_back(0);
  return static_cast<int32_t>(routes_.size()) - 1;
}

bool RouteSet::InsertionInTime(NodeIndex customer, const SearchRoute& route, int32_t after) const {
  const SearchProblem& p = *problem_;
  const double arrival = route.departure[after] + p.Duration(route.nodes[after], customer);
  if (!p.InTime(arrival, p.close(customer))) return false;
  const NodeIndex next = route.nodes[after + 1];
  return p.InTime(p.DepartureAfter(customer, arrival) + p.Duration(customer, next),
                  route.latest[after + 1]);
}

bool RouteSet::RouteInTime(int32_t index) const {
  return !problem_->timed() || problem_->InTime(problem_->open(0), routes_[index].latest[0]);
}

void RouteSet::Begin() {
  recording_ = true;
  ++transaction_;
  num_saved_ = 0;
  saved_absent_ = absent_;
  saved_distance_ = distance_;
  saved_used_ = used_;
}

void RouteSet::Touch(int32_t index) {
  first_empty_ = std::min(first_empty_, index);  // it may become empty
  if (!is_changed_[index]) {
    is_changed_[index] = 1;
    changed_.push_back(index);
  }
  if (!recording_ || saved_in_[index] == transaction_) return;
  saved_in_[index] = transaction_;
  if (num_saved_ == saved_.size()) saved_.emplace_back();
  saved_[num_saved_].index = index;
  saved_[num_saved_].route = routes_[index];
  ++num_saved_;
}

void RouteSet::Rollback() {
  recording_ = false;
  for (size_t k = 0; k < num_saved_; ++k) {
    std::swap(routes_[saved_[k].index], saved_[k].route);
    first_empty_ = std::min(first_empty_, saved_[k].index);
    Place(saved_[k].index, 1);
  }
  absent_ = saved_absent_;
  for (const NodeIndex node : absent_) places_[node].route = -1;
  distance_ = saved_distance_;
  used_ = saved_used_;
}

std::vector<int32_t> RouteSet::TakeChanged() {
  for (const int32_t index : changed_) is_changed_[index] = 0;
  return std::exchange(changed_, {});
}

}  // namespace vrp
