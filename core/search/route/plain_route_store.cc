#include "core/search/route/plain_route_store.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace vrp {
namespace {

constexpr std::array<NodeIndex, 2> kNoVisits = {0, 0};
// Equal to no times, so that whoever sets them goes on.
constexpr VisitTimes kUntimed = {.departure = std::numeric_limits<double>::quiet_NaN(),
                                 .latest = std::numeric_limits<double>::quiet_NaN()};

}  // namespace

PlainRouteStore::PlainRouteStore(const Problem& problem) : problem_(&problem) {
  places_.resize(problem.size());
  for (NodeIndex node = 1; node < problem.size(); ++node) {
    if (problem.Servable(node)) absent_.push_back(node);
  }
}

void PlainRouteStore::Load(const Plan& plan) {
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

Plan PlainRouteStore::ToPlan() const {
  Plan plan;
  for (const PlainRoute& route : routes_) {
    if (route.empty()) continue;
    plan.push_back(
        {.vehicle_type = 0, .customers = {route.nodes.begin() + 1, route.nodes.end() - 1}});
  }
  return plan;
}

void PlainRouteStore::SetRoute(int32_t index, std::span<const NodeIndex> nodes) {
  Touch(index, 1);
  PlainRoute& route = routes_[index];
  distance_ -= route.distance;
  used_ -= !route.empty();
  for (const NodeIndex node : route.nodes) {
    if (places_[node].route == index) places_[node].route = -1;
  }
  route.nodes.assign(nodes.begin(), nodes.end());
  Measure(route);
  distance_ += route.distance;
  used_ += !route.empty();
  Place(index, 1, route.customers() + 1);
}

void PlainRouteStore::Measure(PlainRoute& route) {
  const Problem& p = *problem_;
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
  route.times.assign(size, kUntimed);
  for (int32_t i = 0; i + 1 < size; ++i) {
    route.times[i].drive = p.Duration(route.nodes[i], route.nodes[i + 1]);
  }
  route.times[size - 1].drive = 0;
  route.times[0].departure = p.DepartureAfter(0, p.open(0));
  route.times[size - 1].latest = p.close(0);
  Retime(route, 1, size - 2);
}

void PlainRouteStore::Retime(PlainRoute& route, int32_t departs_from, int32_t arrives_until) {
  const Problem& p = *problem_;
  const NodeIndex* nodes = route.nodes.data();
  VisitTimes* times = route.times.data();
  const auto size = static_cast<int32_t>(route.nodes.size());
  for (int32_t i = departs_from; i < size; ++i) {
    const double departure =
        p.DepartureAfter(nodes[i], times[i - 1].departure + times[i - 1].drive);
    if (departure == times[i].departure) break;
    times[i].departure = departure;
  }
  for (int32_t i = arrives_until; i >= 0; --i) {
    const double latest =
        std::min(p.close(nodes[i]), times[i + 1].latest - times[i].drive - p.service(nodes[i]));
    if (latest == times[i].latest) break;
    times[i].latest = latest;
  }
}

void PlainRouteStore::Place(int32_t index, int32_t begin, int32_t end) {
  const PlainRoute& route = routes_[index];
  const NodeIndex* nodes = route.nodes.data();
  for (int32_t i = std::max(1, begin); i < end; ++i) {
    places_[nodes[i]] = {.route = index,
                         .position = i,
                         .before = nodes[i - 1],
                         .after = nodes[i + 1],
                         .edge_before = route.edge[i - 1],
                         .edge_after = route.edge[i]};
  }
}

void PlainRouteStore::PlaceAgain(int32_t index, int32_t begin, int32_t moved_from) {
  const PlainRoute& route = routes_[index];
  const int32_t end = route.customers() + 1;
  Place(index, begin, std::min(moved_from, end));
  for (int32_t i = moved_from; i < end; ++i) places_[route.nodes[i]].position = i;
}

void PlainRouteStore::Insert(NodeIndex customer, PlainInsertionPlace place) {
  const int32_t at = place.after + 1;
  Touch(place.route, at);
  const Problem& p = *problem_;
  PlainRoute& route = routes_[place.route];
  const NodeIndex before = route.nodes[place.after];
  const NodeIndex after = route.nodes[at];
  used_ += route.empty();
  const double into = p.Distance(before, customer);
  const double out = p.Distance(customer, after);
  const double added = into + out - route.edge[place.after];
  route.nodes.insert(route.nodes.begin() + at, customer);
  route.edge[place.after] = into;
  route.edge.insert(route.edge.begin() + at, out);
  route.load += p.demand(customer);
  route.distance += added;
  distance_ += added;
  PlaceAgain(place.route, place.after, at + 2);
  if (!p.timed()) return;
  route.times[place.after].drive = p.Duration(before, customer);
  route.times.insert(route.times.begin() + at, kUntimed);
  route.times[at].drive = p.Duration(customer, after);
  Retime(route, at, at);
}

void PlainRouteStore::Remove(int32_t index, int32_t begin, int32_t count) {
  if (count == 0) return;
  if (count == routes_[index].customers()) {
    SetRoute(index, kNoVisits);
    return;
  }
  Touch(index, begin);
  const Problem& p = *problem_;
  PlainRoute& route = routes_[index];
  const int32_t end = begin + count;
  double removed = 0;
  for (int32_t i = begin - 1; i < end; ++i) removed += route.edge[i];
  for (int32_t i = begin; i < end; ++i) {
    places_[route.nodes[i]].route = -1;
    route.load -= p.demand(route.nodes[i]);
  }
  const NodeIndex before = route.nodes[begin - 1];
  const NodeIndex after = route.nodes[end];
  const double bridge = p.Distance(before, after);
  route.nodes.erase(route.nodes.begin() + begin, route.nodes.begin() + end);
  route.edge.erase(route.edge.begin() + begin, route.edge.begin() + end);
  route.edge[begin - 1] = bridge;
  route.distance += bridge - removed;
  distance_ += bridge - removed;
  PlaceAgain(index, begin - 1, begin + 1);
  if (!p.timed()) return;
  route.times.erase(route.times.begin() + begin, route.times.begin() + end);
  route.times[begin - 1].drive = p.Duration(before, after);
  Retime(route, begin, begin - 1);
}

void PlainRouteStore::SetAbsent(std::vector<NodeIndex> absent) { absent_ = std::move(absent); }

int32_t PlainRouteStore::EmptyRoute() {
  for (; first_empty_ < std::ssize(routes_); ++first_empty_) {
    if (routes_[first_empty_].empty()) return first_empty_;
  }
  routes_.emplace_back();
  routes_.back().nodes = {0, 0};
  Measure(routes_.back());
  distance_ += routes_.back().distance;
  return static_cast<int32_t>(routes_.size()) - 1;
}

bool PlainRouteStore::InsertionInTime(NodeIndex customer, const PlainRoute& route,
                                      int32_t after) const {
  const Problem& p = *problem_;
  const double arrival = route.times[after].departure + p.Duration(route.nodes[after], customer);
  if (!p.InTime(arrival, p.close(customer))) return false;
  const NodeIndex next = route.nodes[after + 1];
  return p.InTime(p.DepartureAfter(customer, arrival) + p.Duration(customer, next),
                  route.times[after + 1].latest);
}

bool PlainRouteStore::RouteInTime(int32_t index) const {
  return !problem_->timed() || problem_->InTime(problem_->open(0), routes_[index].times[0].latest);
}

void PlainRouteStore::Begin() {
  undo_.Begin();
  saved_absent_ = absent_;
  saved_distance_ = distance_;
  saved_used_ = used_;
}

void PlainRouteStore::Touch(int32_t index, int32_t from) {
  first_empty_ = std::min(first_empty_, index);  // it may become empty
  changed_.Mark(index);
  RouteCopy* saved = undo_.Save(index, [&](RouteCopy& copy) {
    copy.from = from;
    copy.route = routes_[index];  // in the memory of an earlier copy
  });
  if (saved != nullptr) saved->from = std::min(saved->from, from);
}

void PlainRouteStore::Rollback() {
  undo_.Stop();
  for (auto& [index, copy] : undo_.saved()) {
    std::swap(routes_[index], copy.route);
    first_empty_ = std::min(first_empty_, index);
    Place(index, copy.from - 1, routes_[index].customers() + 1);
  }
  absent_ = saved_absent_;
  for (const NodeIndex node : absent_) places_[node].route = -1;
  distance_ = saved_distance_;
  used_ = saved_used_;
}

}  // namespace vrp
