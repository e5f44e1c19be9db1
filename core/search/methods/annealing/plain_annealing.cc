#include "core/search/methods/annealing/plain_annealing.h"

#include <algorithm>
#include <cmath>

#include "core/base/steady_time.h"

namespace vrp {
namespace {

constexpr double kBlink = 0.01;
// Temperatures in mean edge lengths of the first plan.
constexpr double kFirstTemperature = 0.5;
constexpr double kLastTemperature = 0.03;
// Plans are copied for reports at most this often.
constexpr absl::Duration kReportEvery = absl::Milliseconds(5);
// Up to this many nodes an iteration takes some microseconds, and the clock is asked every 16th.
constexpr int32_t kFastNodes = 2000;
constexpr int64_t kFastPoll = 16;

}  // namespace

Temperatures UsualTemperatures(const PlainRouteStore& routes) {
  const int32_t edges = routes.problem().num_servable() + routes.routes_used();
  const double mean_edge = routes.distance() / std::max(1, edges);
  return {.first = kFirstTemperature * mean_edge, .last = kLastTemperature * mean_edge};
}

PlainAnnealing::PlainAnnealing(PlainRouteStore& routes, FastRandom& random,
                               const SearchOptions& options, Temperatures temperatures)
    : routes_(routes),
      random_(random),
      options_(options),
      temperatures_(temperatures),
      cooling_(options, routes.problem().size()),
      ruin_(routes, random),
      recreate_(routes, random, kBlink),
      tails_(routes, random),
      temperature_(temperatures.first),
      reported_(absl::InfinitePast()),
      times_absent_(routes.problem().size(), 0) {
  current_distance_ = best_distance_ = routes.distance();
  current_absent_ = best_absent_ = routes.absent().size();
  routes.TakeChanged();
  for (const PlainRoute& route : routes.routes()) best_routes_.push_back(route.nodes);
}

SearchEnd PlainAnnealing::Run(const StopCondition& hard_stop, ImprovementFn on_improvement) {
  const int64_t poll = routes_.problem().size() <= kFastNodes ? kFastPoll : 1;
  SearchEnd end = SearchEnd::kIterations;
  for (; iterations_ < options_.max_iterations; ++iterations_) {
    if (iterations_ % poll == 0) {
      const absl::Time now = SteadyNow();
      end = StopKind(hard_stop, now);
      if (end != SearchEnd::kIterations) break;
      Cool(now);
      if (unreported_ && now - reported_ >= kReportEvery) Report(on_improvement);
    }
    ExchangeTails();
    routes_.Begin();
    recreate_.InsertAll(ruin_.Remove());
    if (!Accepts()) {
      routes_.Rollback();
      continue;
    }
    routes_.Commit();
    current_distance_ = routes_.distance();
    current_absent_ = routes_.absent().size();
    KeepBest();
  }
  if (unreported_) Report(on_improvement);
  return end;
}

SearchEnd PlainAnnealing::StopKind(const StopCondition& hard_stop, absl::Time now) const {
  if (best_absent_ > 0 && now < hard_stop.deadline()) return SearchEnd::kIterations;
  return EndOf(options_.stop.Check(), SearchEnd::kIterations);
}

void PlainAnnealing::Cool(absl::Time now) {
  if (temperatures_.first <= 0) return;
  temperature_ = temperatures_.first * std::pow(temperatures_.last / temperatures_.first,
                                                cooling_.Phase(iterations_, now));
}

void PlainAnnealing::ExchangeTails() {
  if (current_absent_ > 0 || !tails_.Run(temperature_)) return;
  current_distance_ = routes_.distance();
  KeepBest();
}

bool PlainAnnealing::Accepts() {
  const double distance = routes_.distance();
  const std::vector<NodeIndex>& absent = routes_.absent();
  const double threshold = current_distance_ - temperature_ * std::log(1 - random_.Unit());
  if (absent.empty()) return current_absent_ > 0 || distance < threshold;
  if (current_absent_ == 0) return false;
  int64_t sum = 0;
  for (const NodeIndex customer : absent) sum += times_absent_[customer];
  const bool accepts =
      sum < current_absent_sum_ ||
      (absent.size() == current_absent_ && sum == current_absent_sum_ && distance < threshold);
  for (const NodeIndex customer : absent) ++times_absent_[customer];
  if (accepts) current_absent_sum_ = sum;
  return accepts;
}

void PlainAnnealing::KeepBest() {
  const double epsilon = routes_.problem().epsilon();
  const bool better =
      current_absent_ < best_absent_ ||
      (current_absent_ == best_absent_ && current_distance_ < best_distance_ - epsilon);
  if (!better) return;
  best_routes_.resize(routes_.routes().size());
  for (const int32_t slot : routes_.TakeChanged()) best_routes_[slot] = routes_.route(slot).nodes;
  best_distance_ = current_distance_;
  best_absent_ = current_absent_;
  unreported_ = true;
}

void PlainAnnealing::Report(ImprovementFn on_improvement) {
  const Plan plan = BestPlan();
  on_improvement(plan, PlanCost(routes_.problem().instance(), plan));
  reported_ = SteadyNow();
  unreported_ = false;
}

Plan PlainAnnealing::BestPlan() const {
  Plan plan;
  for (const std::vector<NodeIndex>& nodes : best_routes_) {
    if (nodes.size() <= 2) continue;
    plan.push_back({.vehicle_type = 0, .customers = {nodes.begin() + 1, nodes.end() - 1}});
  }
  return plan;
}

}  // namespace vrp
