#include "core/search/build/first_routes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/steady_time.h"
#include "core/search/build/construct.h"
#include "core/search/moves/pruning.h"
#include "core/search/ruin_recreate/recreate.h"

namespace vrp {
namespace {

// Into one of the plans optional units go whatever they cost: together they may be worth a route
// that none of them is worth alone. The search starts there, though the plan may cost more than one
// that leaves nearly all of them out, wherever it has that many times the time that the plan took:
// it takes visits away with ease, but hardly ever opens a route that pays only with many. So it
// does not start with the routes that reinsertions leave of them.
constexpr double kGenerous = 1e6;  // times their prizes
constexpr double kGenerousTimes = 10;
constexpr int32_t kReinsertions = 2;
// Another construction is tried where the budget is that many times what the first one took.
constexpr double kSecondStart = 6;
// Above so many nodes, or if plain, routes to the farthest units come first: such plans cost 10 to
// 50 % less, of which much is left when there is little time for each node. With fewer, unlike
// vehicles and reloads are the better for the bulkiest first.
constexpr int32_t kFarFirstFrom = 150;

// How good routes are: less is better.
std::pair<double, double> RankOf(const RouteStore& routes) {
  return {routes.missing_weight(), routes.cost() + routes.problem().route_weight() * routes.used()};
}

bool IsBetter(const std::pair<double, double>& a, const std::pair<double, double>& b,
              double epsilon) {
  return a.first != b.first ? a.first < b.first : a.second < b.second - epsilon;
}

bool HaveOneCost(const Problem& problem) {
  const Vehicle& first = problem.vehicle(0);
  return std::all_of(problem.vehicles().begin(), problem.vehicles().end(), [&](const Vehicle& v) {
    return v.fixed == first.fixed && v.per_distance == first.per_distance &&
           v.per_time == first.per_time && v.per_service_time == first.per_service_time &&
           v.per_travel_time == first.per_travel_time;
  });
}

std::vector<int32_t> UsedSlots(const RouteStore& routes) {
  std::vector<int32_t> slots(routes.slots());
  std::iota(slots.begin(), slots.end(), 0);
  std::erase_if(slots, [&](int32_t slot) { return routes.route(slot).empty(); });
  return slots;
}

class FirstRoutesMaker {
 public:
  FirstRoutesMaker(const Problem& problem, const StopCondition& stop, FastRandom& random,
                   absl::FunctionRef<void(const RouteStore&)> report)
      : problem_(problem), stop_(stop), random_(random), report_(report) {}

  FirstRoutes Run(std::span<const Plan> given) {
    const bool from_afar = problem_.plain() || problem_.size() > kFarFirstFrom;
    const auto order = from_afar ? Recreate::First::kFar : Recreate::First::kBulky;
    for (const Plan& plan : given) Consider(Inserted(plan, order));
    if (given.empty() || !stop_.ShouldStop()) ConsiderOwn(order, given.empty());
    if (from_afar && best_->missing_weight() > 0 && !stop_.ShouldStop()) {
      Consider(Inserted({}, Recreate::First::kBulky));
    }
    return {start_.has_value() ? *std::move(start_) : *best_, best_->ToPlan(),
            std::move(complete_)};
  }

 private:
  void ConsiderOwn(Recreate::First order, bool may_start) {
    const absl::Time begun = SteadyNow();
    Consider(Inserted({}, order));
    const absl::Time rather_end = begun + kSecondStart * (SteadyNow() - begun);
    if (rather_end >= stop_.deadline()) return;
    RouteStore routes(problem_);
    const bool optional = std::any_of(routes.servable().begin(), routes.servable().end(),
                                      [&](int32_t u) { return !problem_.unit(u).required(); });
    const bool merged = MayMerge() && MergeRoutes(routes, stop_);
    if (!merged && !optional) return;
    Recreate(routes, random_, stop_)
        .InsertAbsent(optional ? kGenerous : 1, merged ? Recreate::First::kFar : order);
    if (optional) Pruning(routes).Prune(UsedSlots(routes));
    RouteStore fewer = routes;
    for (int32_t i = 0; i < kReinsertions; ++i) ReinsertRoutes(fewer, random_, stop_);
    Consider(fewer);
    if (!optional) return;
    Consider(routes);
    const absl::Time worthwhile = SteadyNow() + kGenerousTimes * (SteadyNow() - begun);
    if (may_start && worthwhile < stop_.deadline() &&
        routes.missing_weight() <= best_->missing_weight()) {
      start_.emplace(std::move(routes));
    }
  }

  // Shipments that follow each other whole make poor routes. In a small plan, merging settles which
  // vehicles of unlike costs are used, and the search hardly ever changes that. (Measured: four
  // instances of 100 customers at 0.5 s then cost 1.8 % more.)
  bool MayMerge() const {
    return !problem_.has_shipments() && !problem_.rules().has_groups() &&
           !problem_.detours().needed() &&
           (problem_.size() > kFarFirstFrom || HaveOneCost(problem_));
  }

  RouteStore Inserted(const Plan& plan, Recreate::First order) {
    RouteStore routes(problem_);
    routes.Load(plan);
    Recreate(routes, random_, stop_).InsertAbsent(1, order);
    if (!stop_.ShouldStop() || routes.absent().empty()) return routes;
    if (!problem_.plain() || !plan.empty()) {
      PackAbsent(routes);
      return routes;
    }
    RouteStore packed(problem_);
    packed.Load(PackedPlan(problem_));
    return packed;
  }

  void Consider(const RouteStore& routes) {
    const bool is_best = !best_.has_value() || IsBetter(RankOf(routes), RankOf(*best_), 0);
    if (routes.missing_weight() == 0) {
      complete_.insert(is_best ? complete_.begin() : complete_.end(), routes.ToPlan());
    }
    if (!is_best) return;
    best_.emplace(routes);
    report_(routes);
  }

  const Problem& problem_;
  const StopCondition& stop_;
  FastRandom& random_;
  absl::FunctionRef<void(const RouteStore&)> report_;
  std::optional<RouteStore> best_;
  std::optional<RouteStore> start_;  // where that is not the best
  std::vector<Plan> complete_;
};

}  // namespace

FirstRoutes MakeFirstRoutes(const Problem& problem, std::span<const Plan> given,
                            const StopCondition& stop, FastRandom& random,
                            absl::FunctionRef<void(const RouteStore&)> report) {
  return FirstRoutesMaker(problem, stop, random, report).Run(given);
}

void ReinsertRoutes(RouteStore& routes, FastRandom& random, const StopCondition& stop) {
  const Problem& problem = routes.problem();
  Recreate recreate(routes, random, stop);
  std::vector<int32_t> slots = UsedSlots(routes);
  std::erase_if(slots, [&](int32_t slot) { return routes.route(slot).fixed > 0; });
  std::stable_sort(slots.begin(), slots.end(), [&](int32_t a, int32_t b) {
    return routes.route(a).stops < routes.route(b).stops;
  });
  std::vector<int32_t> units;
  for (const int32_t slot : slots) {
    if (stop.ShouldStop()) return;
    // Insertions by detours may have emptied the route.
    if (routes.route(slot).empty()) continue;
    const auto before = RankOf(routes);
    const std::vector<NodeIndex> nodes = routes.route(slot).nodes;
    units.clear();
    for (const NodeIndex node : std::span(nodes).subspan(1, nodes.size() - 2)) {
      if (!problem.is_depot(node)) units.push_back(problem.UnitOf(node));
    }
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    routes.Begin();
    routes.SetRoute(slot, 0, {});
    recreate.InsertSome(units, nodes[1]);
    if (IsBetter(RankOf(routes), before, problem.epsilon())) {
      routes.Commit();
    } else {
      routes.Rollback();
    }
  }
}

}  // namespace vrp
