#include "core/search/methods/annealing/annealing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/steady_time.h"
#include "core/search/model/budget_parts.h"
#include "core/search/model/fleet_bounds.h"
#include "core/search/model/later_stop.h"
#include "core/search/model/vehicle_labels.h"

namespace vrp {
namespace {

// Temperatures in mean costs of an edge of the first plan.
constexpr double kFirstTemperature = 0.5;
constexpr double kLaterTemperature = 0.2;  // the first one after another search
constexpr double kReducedTemperature = 1;  // the first one after a reduction of the fleet
constexpr double kLastTemperature = 0.02;
// A large instance's search begins hotter where there is time for more than so many iterations a
// node, up to that many times: it has to leave the first plan, which is a poor one, further behind.
// (Measured at 5 s to 10 s: 360 to 1,000 customers cost 0.3 to 1.5 % less, smaller ones nothing.)
constexpr int32_t kLargeNodes = 300;
constexpr double kSwiftIterations = 100;
constexpr double kHottest = 4;
// How often the clock is asked where iterations are fast.
constexpr int64_t kFastPoll = 16;
// Plans are copied for reports at most this often.
constexpr absl::Duration kReportEvery = absl::Milliseconds(5);
// How often a ruined route gets another type, and types are improved.
constexpr double kShakeRate = 0.1;
constexpr double kImproveRate = 0.3;
// How often other alternatives are chosen in the ruined routes. (Measured: always takes a quarter
// of the iterations, and gains less.)
constexpr double kAlternativesRate = 0.2;
// How often visits are pruned where routes are balanced: one may be worth more than its prize.
constexpr double kPruneRate = 0.5;
// How often, where units are given up, a ruin begins at one that is absent.
constexpr double kBesideAbsentRate = 0.3;
// How often, while required units are absent, up to so many routes are repacked with them: a
// fleet may just suffice, and the cheapest places leave some room in each vehicle and enough in
// none.
constexpr double kRepackRate = 0.2;
constexpr int32_t kMostRepacked = 4;
constexpr double kFull = 0.9;  // of what the fleet can load
// Iterations a unit without a better plan, after which a partial plan starts again from the best.
constexpr int64_t kPatience = 30;
// Absences are counted for at most this many units.
constexpr size_t kMostCounted = 64;
// Where the fleet is too small, or no complete plan has been found in this share of the budget,
// units may stay unserved at a penalty: for the mean unit so many times the mean cost of an edge,
// from first to last while the search cools down.
constexpr double kUnservedPenaltyAfter = 0.3;
constexpr double kFirstUnservedPenalty = 5;
constexpr double kLastUnservedPenalty = 50;

// Returns the mean weight of the required units.
double MeanWeight(const Problem& problem) {
  double sum = 0;
  int32_t count = 0;
  for (const Unit& unit : problem.all_units()) {
    if (!unit.required()) continue;
    sum += unit.weight;
    ++count;
  }
  return count == 0 ? 1 : sum / count;
}

// Where there are windows, they rather than the loads leave units out, unless these fill the fleet.
bool PackingMayHelp(const Problem& problem, double filled) {
  return problem.plain_loads() && filled <= 1 && (!problem.timed() || filled > kFull);
}

}  // namespace

double MeanEdgeCost(const RouteStore& routes) {
  double cost = 0;
  int32_t edges = 0;
  for (const SearchRoute& route : routes.routes()) {
    if (route.empty()) continue;
    const Vehicle& vehicle = routes.problem().vehicle(route.type);
    cost += vehicle.per_distance * route.distance + vehicle.per_time * route.driving;
    edges += route.stops + 1;
  }
  return cost / std::max(1, edges);
}

Temperatures UsualTemperatures(const RouteStore& routes) {
  const double mean = MeanEdgeCost(routes);
  return {.first = kFirstTemperature * mean, .last = kLastTemperature * mean};
}

Annealing::Annealing(RouteStore& routes, FastRandom& random, const SearchOptions& options,
                     const StopCondition& hard_stop)
    : routes_(routes),
      random_(random),
      options_(options),
      hard_stop_(hard_stop),
      insert_until_(LaterStop(options.stop, hard_stop)),
      cooling_(options, routes.problem().size()),
      ruin_(routes, random),
      recreate_(routes, random, insert_until_),
      types_(routes, random),
      pruning_(routes),
      alternatives_(routes),
      tails_(routes, random),
      reported_(absl::InfinitePast()),
      price_(routes),
      times_absent_(routes.problem().units(), 0) {
  routes.SetBalancePrice(price_.value());
  route_weight_ = routes.problem().route_weight();
  current_ = best_ = Measure();
  routes.TakeChanged();
  for (const SearchRoute& route : routes.routes())
    best_routes_.push_back({route.type, route.nodes});
  best_used_ = routes.used();
  fewest_routes_ = FewestRoutes(routes.problem());
  const double filled = FleetFilled(routes.problem());
  fleet_too_small_ = filled > 1;
  packs_ = PackingMayHelp(routes.problem(), filled);
  first_temperature_ = kFirstTemperature;
  mean_edge_cost_ = MeanEdgeCost(routes);
  mean_weight_ = MeanWeight(routes.problem());
}

void Annealing::BeginCooler() { first_temperature_ = kLaterTemperature; }

void Annealing::BeginHotter(double mean_edge_cost) {
  mean_edge_cost_ = mean_edge_cost;
  first_temperature_ = kReducedTemperature;
}

Annealing::Value Annealing::Measure() const {
  const double weight = route_weight_ * routes_.used();
  Value value = {.missing = routes_.missing_weight(),
                 .energy = routes_.cost() + weight,
                 .opening = routes_.fixed_cost() + weight};
  if (!routes_.balance().active()) return value;
  const BalanceSums sums = routes_.MeasureSpread();
  value.energy += routes_.problem().instance().data().balance->cost * sums.meter.Spread();
  value.excess = routes_.balance().Excess(sums);
  return value;
}

SearchEnd Annealing::Run(ImprovementFn on_improvement) {
  const int64_t poll = RecreatesFast(routes_.problem()) ? kFastPoll : 1;
  SearchEnd end = SearchEnd::kIterations;
  for (; iterations_ < options_.max_iterations; ++iterations_) {
    if (iterations_ % poll == 0) {
      const absl::Time now = SteadyNow();
      end = StopKind(now);
      if (end != SearchEnd::kIterations) break;
      if (kept_temperature_ > 0) {
        temperature_ = kept_temperature_;
      } else {
        Steer(now, on_improvement);
      }
    }
    if (tails_.Run(temperature_, route_weight_)) {
      current_ = Measure();
      KeepBest();
    }
    Step();
  }
  if (unreported_) Report(on_improvement);
  return end;
}

void Annealing::Steer(absl::Time now, ImprovementFn on_improvement) {
  const double phase = cooling_.Phase(iterations_, now);
  Cool(phase, now);
  const double used = cooling_.Used(iterations_, now);
  SetUnservedPenalty(phase, used);
  if (unreported_ && (now - reported_ >= kReportEvery || BeginsFewer(used))) {
    Report(on_improvement);
  }
  SteerFleet(used);
}

SearchEnd Annealing::StopKind(absl::Time now) const {
  if (complete_ != nullptr) {
    if (!IsUnfinished()) *complete_ = true;
    if (*complete_) return SearchEnd::kLocalOptimum;
  }
  if (IsUnfinished() && now < hard_stop_.deadline()) return SearchEnd::kIterations;
  return EndOf(options_.stop.Check(), SearchEnd::kIterations);
}

void Annealing::Cool(double phase, absl::Time now) {
  double first = first_temperature_;
  if (routes_.problem().size() > kLargeNodes) {
    const double iterations = cooling_.IterationsPerNode(iterations_, now);
    first *= std::clamp(iterations / kSwiftIterations, 1.0, kHottest);
  }
  temperature_ = mean_edge_cost_ * first * std::pow(kLastTemperature / first, phase);
}

void Annealing::SetUnservedPenalty(double phase, double used) {
  const bool gives_up = fleet_too_small_ || std::max(phase, used) >= kUnservedPenaltyAfter;
  unserved_penalty_ = 0;
  if (IsUnfinished() && current_.missing != Problem::kNever && gives_up) {
    unserved_penalty_ = kFirstUnservedPenalty * mean_edge_cost_ / mean_weight_ *
                        std::pow(kLastUnservedPenalty / kFirstUnservedPenalty, phase);
  }
  recreate_.SetUnservedPenalty(unserved_penalty_);
}

void Annealing::Step() {
  current_times_absent_ = current_.missing > 0 ? TimesAbsent() : 0;
  routes_.Begin();
  if (packs_ && current_.missing > 0 && random_.Unit() < kRepackRate) {
    const int32_t count = 1 + random_.Below(kMostRepacked);
    recreate_.Pack(ruin_.RemoveSomeRoutes(count), ruin_.seed());
    return Judge();
  }
  const bool beside_absent = unserved_penalty_ == 0 || random_.Unit() < kBesideAbsentRate;
  const std::span<const int32_t> removed = ruin_.Remove(beside_absent);
  const bool several_types = routes_.problem().vehicles().size() > 1;
  if (several_types && random_.Unit() < kShakeRate) {
    for (const int32_t slot : routes_.Touched()) types_.Shake(slot);
  }
  recreate_.InsertSome(removed, ruin_.seed());
  if (several_types && random_.Unit() < kImproveRate) types_.Improve(routes_.Touched());
  if (alternatives_.has_any() && random_.Unit() < kAlternativesRate) {
    alternatives_.Improve(routes_.Touched());
  }
  const bool balanced = routes_.balance().active();
  if (pruning_.has_optional() && (!balanced || random_.Unit() < kPruneRate)) {
    pruning_.Prune(routes_.Touched());
  }
  Judge();
}

void Annealing::Judge() {
  const Value value = Measure();
  if (!Accepts(value)) {
    routes_.Rollback();
  } else {
    routes_.Commit();
    current_ = value;
    KeepBest();
  }
  if (price_.Record(current_.excess == 0, current_.missing == 0)) AdaptBalance();
  if (current_.missing > 0 && unserved_penalty_ == 0 &&
      ++since_best_ > kPatience * routes_.problem().units()) {
    RestoreBest();
  }
}

void Annealing::AdaptBalance() {
  routes_.SetBalancePrice(price_.value());
  routes_.CentreBalanceBand();
  if (current_.excess > 0) current_.excess = Measure().excess;
}

bool Annealing::Accepts(const Value& value) {
  const double threshold = Priced(current_) - temperature_ * std::log(1 - random_.Unit());
  if (value.missing == Problem::kNever) return false;  // what is on board must be delivered
  if (unserved_penalty_ > 0) {
    // Fixed costs are ignored when more or fewer customers are served, because serving more ranks
    // first.
    double energy = Priced(value) + unserved_penalty_ * (value.missing - current_.missing);
    const double opening = value.opening - current_.opening;
    if (value.missing < current_.missing) energy -= std::max(0.0, opening);
    if (value.missing > current_.missing) energy -= std::min(0.0, opening);
    const bool serves_most =
        value.excess == 0 && (best_.excess > 0 || value.missing < best_.missing);
    return serves_most || energy < threshold;
  }
  bool accepts = value.missing < current_.missing ||
                 (value.missing == current_.missing && Priced(value) < threshold);
  if (value.missing == 0) return accepts;
  accepts = accepts || AcceptsByAbsence(value);
  if (routes_.absent().size() <= kMostCounted) {
    for (const int32_t u : routes_.absent()) ++times_absent_[u];
  }
  return accepts;
}

// The units that are left out now are left out more rarely.
bool Annealing::AcceptsByAbsence(const Value& value) const {
  if (current_.missing == 0 || routes_.absent().size() > kMostCounted) return false;
  if (Priced(value) > Priced(current_) + kFirstTemperature * mean_edge_cost_) return false;
  return TimesAbsent() < current_times_absent_;
}

int64_t Annealing::TimesAbsent() const {
  int64_t sum = 0;
  for (const int32_t u : routes_.absent()) {
    if (routes_.problem().unit(u).required()) sum += times_absent_[u];
  }
  return sum;
}

bool Annealing::Better(const Value& a, const Value& b) const {
  if (a.excess > 0 || b.excess > 0) return a.excess == 0;
  if (a.missing != b.missing) return a.missing < b.missing;
  return a.energy < b.energy - routes_.problem().epsilon();
}

void Annealing::KeepBest() {
  if (!Better(current_, best_)) return;
  best_routes_.resize(routes_.slots());
  for (const int32_t slot : routes_.TakeChanged()) {
    best_routes_[slot].type = routes_.route(slot).type;
    best_routes_[slot].nodes = routes_.route(slot).nodes;
  }
  best_ = current_;
  best_used_ = routes_.used();
  since_best_ = 0;
  unreported_ = true;
}

void Annealing::RestoreBest() {
  for (int32_t slot = 0; slot < routes_.slots(); ++slot) routes_.SetRoute(slot, 0, {});
  for (int32_t slot = 0; slot < std::ssize(best_routes_); ++slot) {
    routes_.SetRoute(slot, best_routes_[slot].type, best_routes_[slot].nodes);
  }
  routes_.SetRestAbsent();
  routes_.TakeChanged();
  current_ = best_ = Measure();
  best_used_ = routes_.used();
  since_best_ = 0;
}

void Annealing::Report(ImprovementFn on_improvement) {
  const Plan plan = BestPlan();
  on_improvement(plan, PlanCost(routes_.problem().instance(), plan));
  reported_ = SteadyNow();
  unreported_ = false;
}

Plan Annealing::BestPlan() const { return PlanOf(routes_.problem(), best_routes_); }

}  // namespace vrp
