#include "core/search/moves/plain_tail_exchange.h"

#include <algorithm>
#include <span>

#include "core/search/moves/tail_tries.h"

namespace vrp {
namespace {

// Instead of kCustomersPerTailTry: windows refuse most exchanges.
constexpr double kTimedCustomersPerTailTry = 4;

}  // namespace

bool PlainTailExchange::Run(double temperature) {
  if (routes_.routes_used() < 2) return false;
  const Problem& problem = routes_.problem();
  const double per_try = problem.timed() ? kTimedCustomersPerTailTry : kCustomersPerTailTry;
  if (!TailTriesAreDue(random_, problem.num_servable(), routes_.routes_used(), per_try)) {
    return false;
  }
  bool changed = false;
  for (int32_t i = 0; i < kTailTriesAtOnce; ++i) {
    const NodeIndex u = 1 + random_.Below(problem.size() - 1);
    changed |= TryFrom(u, DrawMostAdded(random_, temperature));
  }
  return changed;
}

bool PlainTailExchange::TryFrom(NodeIndex u, double most_added) {
  if (routes_.RouteOf(u) < 0) return false;
  const Exchange best = BestFrom(u, most_added);
  if (best.to == 0) return false;
  Apply(routes_.PlaceOf(u), routes_.PlaceOf(best.to));
  return true;
}

// Both heads are kept: that of u's route goes on with `to`, that before `to` with who came after u.
PlainTailExchange::Exchange PlainTailExchange::BestFrom(NodeIndex u, double most_added) const {
  const Problem& problem = routes_.problem();
  const VisitPlace& from = routes_.PlaceOf(u);
  const PlainRoute& own = routes_.route(from.route);
  Exchange best = {.to = 0, .added = most_added - problem.epsilon()};
  double own_head = -1;  // its load, once it is asked for
  const auto related = problem.Related(u);
  for (const NodeIndex v : related.first(std::min(related.size(), kTailsTried))) {
    const VisitPlace& to = routes_.PlaceOf(v);
    if (to.route < 0 || to.route == from.route) continue;
    const double added = problem.Distance(u, v) + problem.Distance(to.before, from.after) -
                         from.edge_after - to.edge_before;
    if (added >= best.added || !InTime(from, to, u, v)) continue;
    const PlainRoute& other = routes_.route(to.route);
    if (own_head < 0) own_head = LoadUntil(own, from.position + 1);
    const double other_head = LoadUntil(other, to.position);
    if (!problem.Fits(own_head + other.load - other_head) ||
        !problem.Fits(other_head + own.load - own_head)) {
      continue;
    }
    best = {.to = v, .added = added};
  }
  return best;
}

bool PlainTailExchange::InTime(const VisitPlace& from, const VisitPlace& to, NodeIndex u,
                               NodeIndex v) const {
  const Problem& problem = routes_.problem();
  if (!problem.timed()) return true;
  const PlainRoute& own = routes_.route(from.route);
  const PlainRoute& other = routes_.route(to.route);
  const int32_t i = from.position;
  const int32_t j = to.position;
  return problem.InTime(own.times[i].departure + problem.Duration(u, v), other.times[j].latest) &&
         problem.InTime(other.times[j - 1].departure + problem.Duration(to.before, from.after),
                        own.times[i + 1].latest);
}

double PlainTailExchange::LoadUntil(const PlainRoute& route, int32_t end) const {
  double load = 0;
  for (int32_t i = 1; i < end; ++i) load += routes_.problem().demand(route.nodes[i]);
  return load;
}

void PlainTailExchange::Apply(const VisitPlace& from, const VisitPlace& to) {
  const int32_t a = from.route;
  const int32_t b = to.route;
  const std::span<const NodeIndex> own = routes_.route(a).nodes;
  const std::span<const NodeIndex> other = routes_.route(b).nodes;
  const auto own_head = own.first(from.position + 1);
  const auto own_tail = own.subspan(from.position + 1);
  const auto other_head = other.first(to.position);
  const auto other_tail = other.subspan(to.position);
  first_.assign(own_head.begin(), own_head.end());
  first_.insert(first_.end(), other_tail.begin(), other_tail.end());
  second_.assign(other_head.begin(), other_head.end());
  second_.insert(second_.end(), own_tail.begin(), own_tail.end());
  routes_.SetRoute(a, first_);
  routes_.SetRoute(b, second_);
}

}  // namespace vrp
