#include "tests/bench/estimate_marginals.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/steady_time.h"
#include "core/estimate/quick_savings.h"
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/search.h"
#include "core/train/estimate/estimate_instances.h"
#include "tests/bench/estimate_cases.h"
#include "tests/bench/json_line.h"
#include "tests/bench/or_exit.h"

namespace vrp {
namespace {

constexpr int32_t kCandidates = 8;  // of each instance
constexpr double kSearchSeconds = 0.5;

// An instance with the first customers and one candidate.
Instance WithCandidate(const Instance& whole, int32_t base, NodeIndex candidate) {
  InstanceData data = whole.data();
  data.ids.clear();
  const auto keep = [&](auto& values) {
    if (values.empty()) return;
    if (candidate > 0)
      values[static_cast<size_t>(base) + 1] = values[static_cast<size_t>(candidate)];
    values.resize(static_cast<size_t>(base) + (candidate > 0 ? 2 : 1));
  };
  keep(data.positions);
  keep(data.demands);
  keep(data.windows);
  keep(data.services);
  return Value(Instance::Create(std::move(data)));
}

SearchResult Searched(const Instance& instance, uint64_t seed, std::vector<Plan> initial) {
  SearchOptions options;
  options.stop = StopCondition(SteadyNow() + absl::Seconds(kSearchSeconds), nullptr);
  options.seed = seed;
  options.initial = std::move(initial);
  return Value(Search(instance, options));
}

// Returns what the last customer of `instance` adds to the cost of `plan`, at its cheapest feasible
// position.
double CheapestInsertion(const Instance& instance, const Plan& plan) {
  const NodeIndex customer = instance.num_nodes() - 1;
  double cheapest = 2 * instance.Distance(0, customer);
  for (const PlannedRoute& route : plan) {
    const double before = RouteDistance(instance, route);
    for (size_t at = 0; at <= route.customers.size(); ++at) {
      PlannedRoute longer = route;
      longer.customers.insert(longer.customers.begin() + static_cast<std::ptrdiff_t>(at), customer);
      const double added = RouteDistance(instance, longer) - before;
      if (added >= cheapest) continue;
      const CheckReport report = CheckPlan(instance, {longer});
      const bool feasible = std::ranges::all_of(report.violations, [](const Violation& violation) {
        return violation.kind == ViolationKind::kMissingCustomer;
      });
      if (feasible) cheapest = added;
    }
  }
  return cheapest;
}

Plan QuickPlan(const Instance& instance) {
  Subproblem problem;
  if (const absl::Status status = problem.ChooseAll(instance); !status.ok()) Die(status);
  QuickSavings savings;
  savings.Plan(problem);
  Plan plan;
  for (int32_t i = 1; i < problem.nodes(); ++i) {
    if (savings.previous(i) != 0) continue;
    PlannedRoute& route = plan.emplace_back();
    for (int32_t at = i; at != 0; at = savings.next(at)) route.customers.push_back(at);
  }
  return plan;
}

// The costs of one more customer, by candidate.
struct Marginals {
  std::vector<double> searched, again, estimated, quick, built;
};

Marginals MarginalsOf(const EstimateModel& model, const Instance& whole) {
  const int32_t base = whole.num_customers() - kCandidates;
  const Instance smaller = WithCandidate(whole, base, 0);
  const SearchResult first = Searched(smaller, 1, {});
  const SearchResult second = Searched(smaller, 2, {});
  SearchOptions none;
  none.max_iterations = 0;
  const Plan built = Value(Search(smaller, none)).plan;
  const Plan quick = QuickPlan(smaller);
  EstimateScratch scratch;
  const double estimate = Value(model.Estimate(smaller, scratch)).cost;
  Marginals marginals;
  for (int32_t c = 1; c <= kCandidates; ++c) {
    const Instance larger = WithCandidate(whole, base, base + c);
    marginals.searched.push_back(Searched(larger, 1, {first.plan}).cost - first.cost);
    marginals.again.push_back(Searched(larger, 2, {second.plan}).cost - second.cost);
    marginals.estimated.push_back(Value(model.Estimate(larger, scratch)).cost - estimate);
    marginals.quick.push_back(CheapestInsertion(larger, quick));
    marginals.built.push_back(CheapestInsertion(larger, built));
  }
  return marginals;
}

}  // namespace

void MeasureMarginals(const EstimateModel& model, uint64_t seed, int instances) {
  const EstimateDraws draws = {
      .min_customers = 10 + kCandidates, .max_customers = 200, .seed = seed};
  double again = 0, estimated = 0, quick = 0, built = 0;
  for (int i = 0; i < instances; ++i) {
    const Instance whole = Value(DrawEstimateInstance(draws, i));
    const Marginals marginals = MarginalsOf(model, whole);
    again += RankCorrelation(marginals.again, marginals.searched) / instances;
    estimated += RankCorrelation(marginals.estimated, marginals.searched) / instances;
    quick += RankCorrelation(marginals.quick, marginals.searched) / instances;
    built += RankCorrelation(marginals.built, marginals.searched) / instances;
  }
  PrintMeasurement({{"what", "rank correlation of one more customer's cost"},
                    {"instances", instances},
                    {"candidates", kCandidates},
                    {"estimate", estimated},
                    {"insertion_into_quick_plan", quick},
                    {"insertion_into_built_plan", built},
                    {"search_with_another_seed", again}},
                   1);
}

}  // namespace vrp
