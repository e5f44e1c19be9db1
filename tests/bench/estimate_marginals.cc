#include "tests/bench/estimate_marginals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/estimate/added_customer.h"
#include "core/estimate/quick_savings.h"
#include "core/model/estimate/subset_estimates.h"
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

// The costs of searches, with two seeds: without candidates, then with each.
struct SearchedCosts {
  std::vector<double> first, second;
};

std::vector<double> SearchedBySeed(const Instance& whole, int32_t base, uint64_t seed) {
  const SearchResult without = Searched(WithCandidate(whole, base, 0), seed, {});
  std::vector<double> costs = {without.cost};
  for (int32_t c = 1; c <= kCandidates; ++c) {
    const Instance larger = WithCandidate(whole, base, base + c);
    costs.push_back(Searched(larger, seed, {without.plan}).cost);
  }
  return costs;
}

// Returns the costs at `path`, or finds and writes them.
SearchedCosts CostsAt(const std::string& path, const Instance& whole, int32_t base) {
  const absl::StatusOr<std::string> text = ReadFile(path, int64_t{1} << 20);
  if (text.ok()) {
    const auto json = Value(ParseJsonText(*text, path));
    return {json["first"].get<std::vector<double>>(), json["second"].get<std::vector<double>>()};
  }
  SearchedCosts costs = {SearchedBySeed(whole, base, 1), SearchedBySeed(whole, base, 2)};
  const nlohmann::json json = {{"first", costs.first}, {"second", costs.second}};
  if (const absl::Status status = AtomicWriteFile(path, json.dump()); !status.ok()) Die(status);
  return costs;
}

// The costs of one more customer, by candidate. `searched` is the mean of both seeds.
struct Marginals {
  std::vector<double> searched, first, second, apart, estimated, quick, built, timed;
};

// Sets the estimates of the base and of all candidates, as EstimateCosts answers them. Returns the
// seconds that they take.
double SetEstimates(const EstimateModel& model, const Instance& whole, int32_t base,
                    Marginals& marginals) {
  std::vector<std::vector<NodeIndex>> subsets(kCandidates + 1);
  for (int32_t c = 0; c <= kCandidates; ++c) {
    subsets[c].resize(static_cast<size_t>(base));
    std::iota(subsets[c].begin(), subsets[c].end(), 1);
    if (c > 0) subsets[c].push_back(base + c);
  }
  EstimateScratch scratch;
  AddedCustomer added;
  double seconds = 0;
  for (const bool warm : {false, true}) {
    const absl::Time begun = SteadyNow();
    SubsetEstimates estimates(model, whole, subsets);
    for (int32_t c = 0; c <= kCandidates; ++c) estimates.Estimate(c, scratch);
    marginals.apart.clear();
    for (int32_t c = 1; c <= kCandidates; ++c) {
      marginals.apart.push_back(estimates.estimates()[c].cost - estimates.estimates()[0].cost);
    }
    for (int64_t b = 0; b < estimates.bases(); ++b) estimates.Compare(b, added);
    estimates.Finish();
    if (warm) seconds = absl::ToDoubleSeconds(SteadyNow() - begun);
    marginals.estimated.clear();
    for (int32_t c = 1; c <= kCandidates; ++c) {
      marginals.estimated.push_back(estimates.estimates()[c].cost - estimates.estimates()[0].cost);
    }
  }
  return seconds;
}

Marginals MarginalsOf(const EstimateModel& model, const Instance& whole, const std::string& path,
                      double& seconds) {
  const int32_t base = whole.num_customers() - kCandidates;
  const Instance smaller = WithCandidate(whole, base, 0);
  const SearchedCosts costs = CostsAt(path, whole, base);
  Marginals marginals;
  const double spent = SetEstimates(model, whole, base, marginals);
  seconds += spent / (kCandidates + 1);
  SearchOptions none;
  none.max_iterations = 0;
  const Plan built = Value(Search(smaller, none)).plan;
  SearchOptions as_long;
  as_long.stop = StopCondition(SteadyNow() + absl::Seconds(spent), nullptr);
  const Plan timed = Value(Search(smaller, as_long)).plan;
  const Plan quick = QuickPlan(smaller);
  for (size_t c = 1; c <= kCandidates; ++c) {
    const Instance larger = WithCandidate(whole, base, base + static_cast<NodeIndex>(c));
    marginals.first.push_back(costs.first[c] - costs.first[0]);
    marginals.second.push_back(costs.second[c] - costs.second[0]);
    marginals.searched.push_back(0.5 * (marginals.first.back() + marginals.second.back()));
    marginals.quick.push_back(CheapestInsertion(larger, quick));
    marginals.built.push_back(CheapestInsertion(larger, built));
    marginals.timed.push_back(CheapestInsertion(larger, timed));
  }
  return marginals;
}

// Sums of a way's rank correlations.
struct RankSums {
  double sum = 0, squares = 0, to_first = 0;

  void Add(const std::vector<double>& way, const Marginals& marginals) {
    const double rank = RankCorrelation(way, marginals.searched);
    sum += rank;
    squares += rank * rank;
    to_first += RankCorrelation(way, marginals.first);
  }
  nlohmann::ordered_json Means(int instances) const {
    const double mean = sum / instances;
    const double variance = std::max(0.0, squares / instances - mean * mean);
    return {{"to_the_mean_of_both_seeds", mean},
            {"standard_error", std::sqrt(variance / instances)},
            {"to_the_first_seed", to_first / instances}};
  }
};

}  // namespace

void MeasureMarginals(const EstimateModel& model, uint64_t seed, int instances,
                      const std::string& folder) {
  const EstimateDraws draws = {
      .min_customers = 10 + kCandidates, .max_customers = 200, .seed = seed};
  RankSums estimated, apart, quick, built, timed, second;
  double seconds = 0;
  for (int i = 0; i < instances; ++i) {
    const Instance whole = Value(DrawEstimateInstance(draws, i));
    const std::string path = Concat(folder, "/marginals-", seed, "-", i, ".json");
    const Marginals marginals = MarginalsOf(model, whole, path, seconds);
    estimated.Add(marginals.estimated, marginals);
    apart.Add(marginals.apart, marginals);
    quick.Add(marginals.quick, marginals);
    built.Add(marginals.built, marginals);
    timed.Add(marginals.timed, marginals);
    second.Add(marginals.second, marginals);
  }
  PrintMeasurement({{"what", "rank correlation of one more customer's cost"},
                    {"instances", instances},
                    {"candidates", kCandidates},
                    {"ms", 1000 * seconds / instances},
                    {"estimates", estimated.Means(instances)},
                    {"estimates_each_by_itself", apart.Means(instances)},
                    {"insertion_into_quick_plan", quick.Means(instances)},
                    {"insertion_into_built_plan", built.Means(instances)},
                    {"insertion_after_search_of_equal_time", timed.Means(instances)},
                    {"search_with_another_seed", second.Means(instances)}},
                   1);
}

}  // namespace vrp
