#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/search/build/construct.h"
#include "core/search/model/problem.h"
#include "core/search/model/search_options.h"
#include "core/search/route/plain_route_store.h"
#include "core/search/ruin_recreate/plain_recreate.h"

namespace vrp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// I1 with mu = lambda = alpha_1 + alpha_2 = 1. Solomon's own choice of the pair was (1, 0) or (0,
// 1); an even mixture does as well over his classes.
constexpr double kDistanceWeight = 0.8;
constexpr double kDelayWeight = 0.2;
// Up to this many nodes every unrouted customer is a candidate, above it those related to the
// route.
constexpr int32_t kConsiderAllNodes = 400;
constexpr int32_t kRelatedLooked = 20;

class SequentialInsertion {
 public:
  SequentialInsertion(const Problem& problem, const StopCondition& stop)
      : problem_(problem), stop_(stop), routes_(problem), waiting_(problem.size(), 0) {
    for (const NodeIndex customer : routes_.absent()) waiting_[customer] = 1;
    by_distance_ = routes_.absent();
    std::stable_sort(by_distance_.begin(), by_distance_.end(), [&](NodeIndex a, NodeIndex b) {
      return problem.Distance(0, a) > problem.Distance(0, b);
    });
  }

  Plan Run() {
    for (const NodeIndex seed : by_distance_) {
      if (!waiting_[seed]) continue;
      if (!routes_.CanOpenRoute() || stop_.ShouldStop()) break;
      route_ = routes_.EmptyRoute();
      Take(seed, {.route = route_, .after = 0, .cost = 0});
      if (!Fill()) break;
    }
    std::vector<NodeIndex> left;
    for (const NodeIndex customer : by_distance_) {
      if (waiting_[customer]) left.push_back(customer);
    }
    if (stop_.ShouldStop()) return PackedPlan(problem_);
    routes_.SetAbsent(std::move(left));
    InsertAbsent(routes_);
    return routes_.ToPlan();
  }

 private:
  // Fills the route; false when stopped.
  bool Fill() {
    while (true) {
      if (stop_.ShouldStop()) return false;
      double best_worth = -kInfinity;
      NodeIndex best_customer = -1;
      PlainInsertionPlace best_place;
      for (const NodeIndex customer : candidates_) {
        if (!waiting_[customer]) continue;
        const PlainInsertionPlace place = Cheapest(customer);
        const double worth = problem_.Distance(0, customer) - place.cost;
        if (!place.found() || worth <= best_worth) continue;
        best_worth = worth;
        best_customer = customer;
        best_place = place;
      }
      if (best_customer < 0) break;
      Take(best_customer, best_place);
    }
    candidates_.clear();
    return true;
  }

  void Take(NodeIndex customer, PlainInsertionPlace place) {
    routes_.Insert(customer, place);
    waiting_[customer] = 0;
    if (problem_.size() <= kConsiderAllNodes) {
      if (candidates_.empty()) candidates_ = by_distance_;
      return;
    }
    const auto related = problem_.Related(customer);
    for (const NodeIndex other : related.first(std::min<size_t>(related.size(), kRelatedLooked))) {
      if (waiting_[other]) candidates_.push_back(other);
    }
    std::sort(candidates_.begin(), candidates_.end());
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  }

  // By added distance and delay of the next visit.
  PlainInsertionPlace Cheapest(NodeIndex customer) const {
    PlainInsertionPlace best;
    best.cost = kInfinity;
    const PlainRoute& route = routes_.route(route_);
    if (!problem_.Fits(route.load + problem_.demand(customer))) return best;
    for (int32_t i = 0; i <= route.customers(); ++i) {
      const NodeIndex next = route.nodes[i + 1];
      double cost = kDistanceWeight * (problem_.Distance(route.nodes[i], customer) +
                                       problem_.Distance(customer, next) - route.edge[i]);
      if (cost >= best.cost) continue;
      if (problem_.timed()) {
        if (!routes_.InsertionInTime(customer, route, i)) continue;
        const double arrival =
            route.times[i].departure + problem_.Duration(route.nodes[i], customer);
        const double later =
            problem_.DepartureAfter(customer, arrival) + problem_.Duration(customer, next);
        cost +=
            kDelayWeight * (problem_.DepartureAfter(next, later) - route.times[i + 1].departure);
      }
      if (cost < best.cost) best = {.route = route_, .after = i, .cost = cost};
    }
    return best;
  }

  const Problem& problem_;
  const StopCondition& stop_;
  PlainRouteStore routes_;
  std::vector<char> waiting_;
  std::vector<NodeIndex> by_distance_;  // farthest from the depot first
  std::vector<NodeIndex>
      candidates_;  // for the route at hand; may hold some that were routed since
  int32_t route_ = -1;
};

}  // namespace

Plan InsertionPlan(const Problem& problem, const StopCondition& stop) {
  return SequentialInsertion(problem, stop).Run();
}

Plan InsertionPlan(const Instance& instance, const StopCondition& stop) {
  if (!IsPlain(instance)) return {};
  return InsertionPlan(Problem::Create(instance, stop), stop);
}

}  // namespace vrp
