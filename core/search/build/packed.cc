#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/search/build/construct.h"
#include "core/search/model/problem.h"
#include "core/search/model/space_curve.h"

namespace vrp {
namespace {

// A vehicle under way.
struct OpenRoute {
  NodeIndex last = 0;
  double departure = 0;
  double load = 0;
};

// With windows, so many customers along the curve are packed at a time: near each other, but enough
// for a vehicle to find somebody who is due next. Where vehicles are few, enough to fill two.
int64_t GroupSize(const Problem& problem, int64_t customers) {
  constexpr int64_t kLeast = 25;
  if (!problem.timed() || !problem.instance().has_positions()) return customers;
  return std::max(kLeast, 2 * customers / problem.max_routes());
}

class Packer {
 public:
  explicit Packer(const Problem& problem) : problem_(problem) {}

  // To the end of the nearest open route that takes it, else to a new one, where the fleet allows.
  void Add(NodeIndex node) {
    int64_t best = -1;
    double best_distance = std::numeric_limits<double>::infinity();
    // Without windows the curve makes the newest route the nearest one: the others are closed.
    const int64_t first = problem_.timed() ? first_ : std::ssize(open_) - 1;
    for (int64_t r = std::max<int64_t>(first, 0); r < std::ssize(open_); ++r) {
      const double distance = problem_.Distance(open_[r].last, node);
      if (distance >= best_distance || !Fits(open_[r], node)) continue;
      best = r;
      best_distance = distance;
    }
    if (best < 0) {
      if (std::ssize(plan_) == problem_.max_routes()) return;
      best = std::ssize(plan_);
      plan_.push_back({});
      open_.push_back({.departure = problem_.DepartureAfter(0, problem_.open(0))});
    }
    OpenRoute& route = open_[best];
    plan_[best].customers.push_back(node);
    route.departure = problem_.DepartureAfter(node, Arrival(route, node));
    route.load += problem_.demand(node);
    route.last = node;
  }

  // To what is open by now nobody is added any more.
  void CloseAll() { first_ = std::ssize(open_); }

  Plan Take() { return std::move(plan_); }

 private:
  double Arrival(const OpenRoute& route, NodeIndex node) const {
    return route.departure + problem_.Duration(route.last, node);
  }

  bool Fits(const OpenRoute& route, NodeIndex node) const {
    if (!problem_.Fits(route.load + problem_.demand(node))) return false;
    if (!problem_.timed()) return true;
    const double arrival = Arrival(route, node);
    const double back = problem_.DepartureAfter(node, arrival) + problem_.Duration(node, 0);
    return problem_.InTime(arrival, problem_.close(node)) &&
           problem_.InTime(back, problem_.close(0));
  }

  const Problem& problem_;
  std::vector<OpenRoute> open_;
  int64_t first_ = 0;  // of them that is looked at
  Plan plan_;
};

}  // namespace

Plan PackedPlan(const Problem& problem) {
  std::vector<NodeIndex> order;
  if (problem.instance().has_positions()) {
    order = CurveOrder(problem.instance());
  } else {
    order.resize(problem.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::erase_if(order, [&](NodeIndex node) { return node == 0 || !problem.Servable(node); });
  const auto sooner = [&](NodeIndex a, NodeIndex b) { return problem.close(a) < problem.close(b); };
  Packer packer(problem);
  const int64_t group = GroupSize(problem, std::ssize(order));
  for (int64_t begin = 0; begin < std::ssize(order); begin += group) {
    const auto part = std::span(order).subspan(begin, std::min(group, std::ssize(order) - begin));
    if (problem.timed()) std::stable_sort(part.begin(), part.end(), sooner);
    for (const NodeIndex node : part) packer.Add(node);
    packer.CloseAll();
  }
  return packer.Take();
}

}  // namespace vrp
