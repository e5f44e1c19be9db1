#include "core/search/methods/population/population_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/run_on_threads.h"
#include "core/base/steady_time.h"
#include "core/search/methods/population/penalised_population.h"
#include "core/search/methods/population/recreated_population.h"
#include "core/search/model/shared_plans.h"

namespace vrp {
namespace {

// A few founders, then children at once: a child is worth more than another founder from the first
// milliseconds on.
constexpr int32_t kFounders = 6;
// Among this many children one newcomer, so that the population does not grow too much alike.
constexpr int64_t kNewcomerEvery = 50;
// Without a better plan for this many individuals a customer, the population restarts.
constexpr int64_t kPatience = 50;
constexpr int64_t kLeastPatience = 1000;
// The fleet that a plan may use: this much above the least that the loads need, where the instance
// leaves it open (Vidal 2022).
constexpr double kSpareShare = 0.3;
constexpr int32_t kSpareRoutes = 3;
// Searches side by side exchange plans once in so many individuals.
constexpr int64_t kShareEvery = 16;
constexpr absl::Duration kReportEvery = absl::Milliseconds(5);

// Returns the routes of each vehicle type.
std::vector<int32_t> RoutesAllowed(const Problem& problem, const std::vector<Plan>& plans) {
  double load = 0;
  for (const int32_t u : problem.detours().servable()) {
    load += problem.delivered(problem.NodesOf(problem.unit(u)).front())[0];
  }
  const auto types = static_cast<int32_t>(problem.vehicles().size());
  std::vector<int32_t> most_used(types, 0);
  for (const Plan& plan : plans) {
    std::vector<int32_t> used(types, 0);
    for (const PlannedRoute& route : plan) ++used[problem.TypeOf(route.vehicle_type)];
    for (int32_t t = 0; t < types; ++t) most_used[t] = std::max(most_used[t], used[t]);
  }
  std::vector<int32_t> allowed;
  for (int32_t t = 0; t < types; ++t) {
    const double least = std::ceil(load / problem.vehicle(t).capacity[0]);
    const double by_load = std::ceil((1 + kSpareShare) * least) + kSpareRoutes;
    const double wanted = std::max<double>(by_load, most_used[t] + 1);
    allowed.push_back(static_cast<int32_t>(
        std::min<double>(wanted, std::min(problem.vehicle(t).count, problem.units()))));
  }
  return allowed;
}

std::unique_ptr<PopulationSearch> MakeSearch(const Problem& problem, FastRandom& random,
                                             const SearchOptions& options,
                                             const std::vector<Plan>& plans) {
  if (!KnowsPenalisedPopulation(problem)) {
    return std::make_unique<RecreatedPopulation>(problem, random, options, plans.front());
  }
  return std::make_unique<PenalisedPopulation>(problem, random, RoutesAllowed(problem, plans));
}

class Run {
 public:
  Run(const Problem& problem, const std::vector<Plan>& plans, const SearchOptions& options,
      FastRandom& random, ImprovementFn on_improvement)
      : problem_(problem),
        plans_(plans),
        options_(options),
        on_improvement_(on_improvement),
        patience_(std::max(kLeastPatience, kPatience * std::ssize(problem.detours().servable()))),
        search_(MakeSearch(problem, random, options, plans)) {
    result_.plan = plans.front();
    value_ = ValueOf(problem.instance(), result_.plan);
    result_.cost = value_.cost;
  }

  SearchResult Go() {
    for (int64_t step = 0; result_.iterations < options_.max_iterations; ++step) {
      result_.ended_by = EndOf(options_.stop.Check(), SearchEnd::kIterations);
      if (result_.ended_by != SearchEnd::kIterations) break;
      search_->Expect(IndividualsExpected(step));
      Step(step);
      result_.iterations = std::min(search_->iterations(), options_.max_iterations);
      Report(SteadyNow());
    }
    Report(absl::InfiniteFuture());
    return std::move(result_);
  }

 private:
  // In all, at the rate of the steps so far.
  double IndividualsExpected(int64_t steps) const {
    const absl::Time deadline = options_.stop.deadline();
    double coming = std::numeric_limits<double>::infinity();
    if (steps > 0 && options_.max_iterations != INT64_MAX) {
      coming = static_cast<double>(options_.max_iterations) /
               static_cast<double>(std::max<int64_t>(1, result_.iterations));
    } else if (steps > 0 && deadline != absl::InfiniteFuture()) {
      coming = absl::FDivDuration(deadline - started_, SteadyNow() - started_);
    }
    return std::max<double>(1, steps) * coming;
  }

  void Step(int64_t step) {
    if (options_.shared != nullptr && step % kShareEvery == 0) Share();
    if (!received_.empty()) {
      search_->AddPlan(received_.back(), options_.stop);
      received_.pop_back();
      return;
    }
    if (search_->idle() > patience_) {
      search_->Restart();
      founders_ = 0;
    }
    if (step < std::ssize(plans_)) {
      search_->AddPlan(plans_[step], options_.stop);
    } else if (founders_ < kFounders || search_->size() == 0) {
      ++founders_;
      search_->AddFounder(options_.stop);
    } else if (step % kNewcomerEvery == 0) {
      search_->AddRandom(options_.stop);
    } else {
      search_->AddChild(options_.stop);
    }
  }

  // Gives a new best plan to the other searches and takes theirs.
  void Share() {
    if (search_->has_best() && search_->best().cost < offered_ - problem_.epsilon()) {
      offered_ = search_->best().cost;
      options_.shared->Offer(options_.index, ToPlan(problem_, search_->best()));
    }
    for (Plan& plan : options_.shared->TakeNew(options_.index, seen_)) {
      if (search_->FleetSuffices(plan)) received_.push_back(std::move(plan));
    }
  }

  void Report(absl::Time now) {
    if (!search_->has_best() || now - reported_at_ < kReportEvery) return;
    if (search_->best().cost >= reported_ - problem_.epsilon()) return;
    reported_ = search_->best().cost;
    reported_at_ = now;
    Plan plan = ToPlan(problem_, search_->best());
    const PlanValue value = ValueOf(problem_.instance(), plan);
    if (value >= value_) return;
    result_.plan = std::move(plan);
    value_ = value;
    result_.cost = value.cost;
    on_improvement_(result_.plan, value.cost);
  }

  const Problem& problem_;
  const std::vector<Plan>& plans_;
  const SearchOptions& options_;
  ImprovementFn on_improvement_;
  const absl::Time started_ = SteadyNow();
  const int64_t patience_;
  const std::unique_ptr<PopulationSearch> search_;
  std::vector<Plan> received_;  // from other searches, not yet in the population
  double offered_ = std::numeric_limits<double>::infinity();
  int64_t seen_ = 0;
  int32_t founders_ = 0;
  SearchResult result_;
  PlanValue value_;  // of result_
  double reported_ = std::numeric_limits<double>::infinity();
  absl::Time reported_at_ = absl::InfinitePast();
};

// Returns whether there is time for a population of an instance above kMostPopulationNodes.
bool LargePopulationFits(const Problem& problem, const SearchOptions& options) {
  if (problem.size() > kMostLargePopulationNodes) return false;
  const int64_t customers = problem.num_servable();
  if (options.max_iterations != INT64_MAX) {
    return options.max_iterations >= kLargePopulationIterations * customers;
  }
  return options.stop.deadline() - SteadyNow() >= kLargePopulationPerCustomer * customers;
}

// Returns whether the budget has an end by the clock that leaves so much for each unit.
bool HasTime(const Problem& problem, const SearchOptions& options, absl::Duration per_unit) {
  const auto units = std::ssize(problem.detours().servable());
  return options.max_iterations == INT64_MAX &&
         options.stop.deadline() - SteadyNow() >= per_unit * units;
}

}  // namespace

bool KnowsPenalisedPopulation(const Problem& problem) {
  if (problem.plain()) return true;
  for (int32_t u = 0; u < problem.units(); ++u) {
    if (problem.unit(u).kind != Unit::Kind::kSingle) return false;
  }
  return CanPenalise(problem) && problem.route_weight() == 0 && !problem.detours().needed();
}

bool PopulationFits(const Problem& problem, const SearchOptions& options) {
  const bool has_units = !problem.single_tour() && problem.detours().servable().size() > 1;
  if (!KnowsPenalisedPopulation(problem)) {
    const bool pays = problem.has_shipments() || problem.route_weight() > 0;
    return pays && has_units && problem.size() <= kMostRecreatedPopulationNodes &&
           HasTime(problem, options, kRecreatedPopulationPerUnit);
  }
  if (problem.timed() && problem.size() > kMostTimedPopulationNodes) return false;
  if (!problem.plain()) {
    return has_units && HasTime(problem, options, kFeaturePopulationPerCustomer);
  }
  if (problem.timed()) {
    if (!HasTime(problem, options, kTimedPopulationPerCustomer)) return false;
  } else if (problem.size() > kMostPopulationNodes && !LargePopulationFits(problem, options)) {
    return false;
  }
  return !problem.single_tour() && problem.DistanceRow(0) != nullptr &&
         problem.num_servable() > 1 && !problem.Near(1).empty();
}

SearchResult RunPopulations(const Problem& problem, const std::vector<Plan>& plans,
                            const SearchOptions& options, FastRandom& random,
                            ImprovementFn on_improvement) {
  if (options.threads == 1) {
    return Run(problem, plans, options, random, on_improvement).Go();
  }
  SharedPlans shared;
  std::vector<SearchResult> results(options.threads);
  const int32_t started = RunOnThreads(options.threads, [&](int32_t index) {
    SearchOptions own = options;
    own.shared = &shared;
    own.index = index;
    if (own.max_iterations != INT64_MAX) own.max_iterations /= options.threads;
    FastRandom own_random(options.seed + static_cast<uint64_t>(index));
    const auto silent = [](const Plan&, Cost) {};
    Run run(problem, plans, own, own_random, index == 0 ? on_improvement : silent);
    results[index] = run.Go();
  });
  SearchResult best = std::move(results[0]);
  int64_t iterations = best.iterations;
  for (int32_t index = 1; index < started; ++index) {
    iterations += results[index].iterations;
    if (ValueOf(problem.instance(), results[index].plan) < ValueOf(problem.instance(), best.plan)) {
      best = std::move(results[index]);
    }
  }
  best.iterations = iterations;
  return best;
}

}  // namespace vrp
