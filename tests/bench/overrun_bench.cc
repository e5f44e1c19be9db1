// Measures by how much the time of an answer exceeds its budget, on one thread. The time is that of
// solver, schedule and checker.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/base/steady_time.h"
#include "core/solve/solver.h"
#include "tests/bench/json_line.h"
#include "tests/bench/or_exit.h"
#include "tests/testing/feature_instances.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

struct Kind {
  const char* name;
  Instance (*make)(int32_t customers, uint64_t seed);
};

constexpr Kind kKinds[] = {
    {"plain",
     [](int32_t customers, uint64_t seed) {
       return AnInstance().WithCustomers(customers).Seed(seed).RandomDemands().Capacity(60).Build();
     }},
    {"windows",
     [](int32_t customers, uint64_t seed) {
       return AnInstance()
           .WithCustomers(customers)
           .Seed(seed)
           .RandomDemands()
           .Capacity(60)
           .RandomWindows()
           .Build();
     }},
    {"constrained", [](int32_t customers, uint64_t seed) {
       return test::MakeFeatureInstance(
           {.customers = customers, .seed = seed, .features = test::DrawFeatures(seed)});
     }}};
constexpr int32_t kSizes[] = {10, 30, 100, 300, 1000};
constexpr int32_t kBudgets[] = {5, 20, 50, 200, 500};  // milliseconds

double OverrunMs(const Instance& instance, absl::Duration budget, uint64_t seed) {
  SolveOptions options;
  options.budget = budget;
  options.seed = seed;
  const absl::Time start = SteadyNow();
  Value(Solve(instance, options));
  return absl::ToDoubleMilliseconds(SteadyNow() - start - budget);
}

double Quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

void Print(nlohmann::ordered_json line, std::vector<double> overruns) {
  std::sort(overruns.begin(), overruns.end());
  line["answers"] = overruns.size();
  line["p50_ms"] = Quantile(overruns, 0.5);
  line["p99_ms"] = Quantile(overruns, 0.99);
  line["max_ms"] = overruns.back();
  PrintMeasurement(std::move(line), 1);
}

std::vector<double> Measure(const Kind& kind, int32_t customers, int32_t budget_ms,
                            int32_t answers) {
  std::vector<double> overruns;
  for (int32_t i = 1; i <= answers; ++i) {
    const auto seed = static_cast<uint64_t>(i);
    overruns.push_back(OverrunMs(kind.make(customers, seed), absl::Milliseconds(budget_ms), seed));
  }
  Print({{"what", std::string("overrun_") + kind.name},
         {"customers", customers},
         {"budget_ms", budget_ms}},
        overruns);
  return overruns;
}

void MeasureAll(const Kind& kind, double seconds) {
  const double ms_per_case = 1000 * seconds / std::size(kSizes) / std::size(kBudgets);
  std::vector<double> all;
  for (const int32_t customers : kSizes) {
    for (const int32_t budget_ms : kBudgets) {
      const auto answers = static_cast<int32_t>(ms_per_case / budget_ms);
      const auto some = Measure(kind, customers, budget_ms, std::clamp(answers, 2, 100));
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  Print({{"what", std::string("overrun_") + kind.name}}, all);
}

}  // namespace
}  // namespace vrp

// Takes the arguments `plain`, `windows`, `constrained` or `all`, and the seconds per kind (default
// 20).
int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "all";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 20;
  for (const vrp::Kind& kind : vrp::kKinds) {
    if (wanted == "all" || wanted == kind.name) vrp::MeasureAll(kind, seconds);
  }
  return 0;
}
