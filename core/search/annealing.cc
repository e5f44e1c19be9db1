#include "core/search/annealing.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

constexpr double kBlink = 0.01;
// Temperatures in mean edge lengths of the first plan.
constexpr double kFirstTemperature = 0.5;
constexpr double kLastTemperature = 0.03;
// One cooling takes at most this long; what is left of a longer budget is spent on further ones
// from the best plan.
constexpr double kIterationsPerNode = 20'000;
constexpr absl::Duration kTimePerNode = absl::Milliseconds(100);
// Plans are copied for reports at most this often.
constexpr absl::Duration kReportEvery = absl::Milliseconds(5);
// Up to this many nodes an iteration takes some microseconds, and the clock is asked every 16th.
constexpr int32_t kFastNodes = 2000;
constexpr int64_t kFastPoll = 16;

// Where in its cooling a search is that has used `used` of `total`, in coolings of at most
// `longest`. In [0, 1).
double CoolingPhase(double used, double total, double longest) {
  const double coolings = std::max(1.0, std::ceil(total / longest));
  const double phase = used / total * coolings;
  return phase - std::floor(phase);
}

}  // namespace

Annealing::Annealing(RouteSet& routes, FastRandom& random, const SearchOptions& options)
    : routes_(routes),
      random_(random),
      options_(options),
      ruin_(routes, random),
      recreate_(routes, random, kBlink),
      started_(absl::Now()),
      reported_(absl::InfinitePast()),
      times_absent_(routes.problem().size(), 0) {
  current_distance_ = best_distance_ = routes.distance();
  current_absent_ = best_absent_ = routes.absent().size();
  routes.TakeChanged();
  for (const SearchRoute& route : routes.routes()) best_routes_.push_back(route.nodes);
  const int32_t edges = routes.problem().num_servable() + routes.routes_used();
  first_temperature_ = kFirstTemperature * routes.distance() / std::max(1, edges);
  temperature_ = first_temperature_;
}

SearchEnd Annealing::Run(const StopCondition& grace, ImprovementFn on_improvement) {
  const int64_t poll = routes_.problem().size() <= kFastNodes ? kFastPoll : 1;
  SearchEnd end = SearchEnd::kIterations;
  for (; iterations_ < options_.max_iterations; ++iterations_) {
    if (iterations_ % poll == 0) {
      const absl::Time now = absl::Now();
      end = StopKind(grace, now);
      if (end != SearchEnd::kIterations) break;
      Cool(now);
      if (unreported_ && now - reported_ >= kReportEvery) Report(on_improvement);
    }
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

SearchEnd Annealing::StopKind(const StopCondition& grace, absl::Time now) const {
  const StopReason reason = options_.stop.Check();
  if (reason == StopReason::kNone) return SearchEnd::kIterations;
  if (best_absent_ > 0 && now < grace.deadline()) return SearchEnd::kIterations;
  return reason == StopReason::kCancelled ? SearchEnd::kCancelled : SearchEnd::kDeadline;
}

void Annealing::Cool(absl::Time now) {
  const double nodes = routes_.problem().size();
  double phase = 0;
  if (options_.max_iterations != INT64_MAX) {
    phase = CoolingPhase(static_cast<double>(iterations_),
                         static_cast<double>(options_.max_iterations), nodes * kIterationsPerNode);
  } else if (options_.stop.deadline() != absl::InfiniteFuture()) {
    const double total = absl::ToDoubleSeconds(options_.stop.deadline() - started_);
    if (total <= 0) return;
    phase = CoolingPhase(absl::ToDoubleSeconds(now - started_), total,
                         nodes * absl::ToDoubleSeconds(kTimePerNode));
  } else {
    const double longest = nodes * kIterationsPerNode;
    phase = CoolingPhase(static_cast<double>(iterations_), longest, longest);
  }
  temperature_ = first_temperature_ * std::pow(kLastTemperature / kFirstTemperature, phase);
}

bool Annealing::Accepts() {
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

void Annealing::KeepBest() {
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

void Annealing::Report(ImprovementFn on_improvement) {
  const Plan plan = BestPlan();
  on_improvement(plan, PlanCost(routes_.problem().instance(), plan));
  reported_ = absl::Now();
  unreported_ = false;
}

Plan Annealing::BestPlan() const {
  Plan plan;
  for (const std::vector<NodeIndex>& nodes : best_routes_) {
    if (nodes.size() <= 2) continue;
    plan.push_back({.vehicle_type = 0, .customers = {nodes.begin() + 1, nodes.end() - 1}});
  }
  return plan;
}

}  // namespace vrp
