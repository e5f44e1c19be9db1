// Measures how the search's first answer, speed and memory grow with the instance, on one thread:
//   search_scaling_bench [SECONDS]
// Prints one JSON line per kind and number of customers, each measured in its own process.
// `first_plan_ms` is the time from the call to the first reported plan (neighbour lists,
// construction, descent), `first_plan_cpu_ms` the processor time. `us_per_iteration` is measured
// afterwards. Below 500 customers, CVRP uses the population search, which counts an individual as
// several iterations, by its work. Instances of `vrptw_matrices` have a distance and a duration
// matrix. Those of `depots_skills` have three depots, two types of vehicles with costs and skills,
// and two windows for each customer.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"
#include "core/search/search.h"
#include "tests/bench/json_line.h"
#include "tests/testing/feature_instances.h"

namespace vrp {
namespace {

constexpr int32_t kSizes[] = {100, 200, 500, 1'000, 2'000, 5'000, 10'000};
constexpr int32_t kMaxMatrixCustomers = 2'000;

struct ScalingCase {
  std::string what;
  ProblemKind kind = ProblemKind::kCvrp;
  Layout layout = Layout::kUniform;
  bool matrices = false;
  std::vector<Feature> features = {};  // none: a generated plain instance
};

[[noreturn]] void Die(const absl::Status& status) {
  std::cerr << "search_scaling_bench: " << status << "\n";
  std::_Exit(1);
}

Instance MakeInstance(const ScalingCase& scaling, int32_t customers) {
  if (!scaling.features.empty()) {
    return test::MakeFeatureInstance({.customers = customers, .features = scaling.features});
  }
  GeneratorOptions options;
  options.kind = scaling.kind;
  options.customers = customers;
  options.layout = scaling.layout;
  absl::StatusOr<Instance> instance = GenerateInstance(options, 0);
  if (!instance.ok()) Die(instance.status());
  if (!scaling.matrices) return *std::move(instance);
  InstanceData data = instance->data();
  data.distance_matrix = instance->DistanceMatrix();
  data.duration_matrix = instance->DurationMatrix();
  instance = Instance::Create(std::move(data));
  if (!instance.ok()) Die(instance.status());
  return *std::move(instance);
}

void Measure(const ScalingCase& scaling, int32_t customers, absl::Duration budget) {
  const Instance instance = MakeInstance(scaling, customers);
  const std::clock_t cpu_start = std::clock();
  const absl::Time start = SteadyNow();
  absl::Time first = absl::InfinitePast();
  std::clock_t first_cpu = 0;
  Cost first_cost = 0;
  SearchOptions options;
  options.stop = StopCondition(start + budget, nullptr);
  const absl::StatusOr<SearchResult> result =
      Search(instance, options, [&](const Plan& /*plan*/, Cost cost) {
        if (first != absl::InfinitePast()) return;
        first = SteadyNow();
        first_cpu = std::clock();
        first_cost = cost;
      });
  const absl::Time end = SteadyNow();
  if (!result.ok()) Die(result.status());
  const CheckReport report = CheckPlan(instance, result->plan, result->cost);
  // Some customers of instances with features may be out of reach.
  if (scaling.features.empty() ? !report.feasible : !RoutesAreFeasible(report)) {
    Die(absl::InternalError(
        Concat(scaling.what, ", ", customers, " customers: ", report.violations.front().message)));
  }
  nlohmann::ordered_json line;
  line["what"] = scaling.what;
  line["customers"] = customers;
  line["first_plan_ms"] = absl::ToDoubleMilliseconds(first - start);
  line["first_plan_cpu_ms"] = 1e3 * static_cast<double>(first_cpu - cpu_start) / CLOCKS_PER_SEC;
  line["overrun_ms"] = absl::ToDoubleMilliseconds(end - start - budget);
  line["iterations"] = result->iterations;
  line["us_per_iteration"] =
      absl::ToDoubleMicroseconds(end - first) / std::max<double>(1, result->iterations);
  line["first_above_last_percent"] = 100 * (first_cost / result->cost - 1);
  PrintMeasurement(std::move(line), 1);
}

// Runs the measurement in its own process, so that the process's peak memory is the measurement's.
void MeasureInOwnProcess(const ScalingCase& scaling, int32_t customers, absl::Duration budget) {
  const pid_t child = fork();
  if (child < 0) Die(absl::ErrnoToStatus(errno, "cannot fork"));
  if (child == 0) {
    Measure(scaling, customers, budget);
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::exit(1);
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) {
  double seconds = 2;
  if (argc > 2 || (argc == 2 && (!absl::SimpleAtod(argv[1], &seconds) || seconds <= 0))) {
    std::cerr << "usage: search_scaling_bench [SECONDS]\n";
    return 2;
  }
  const vrp::ScalingCase cases[] = {
      {"cvrp_x", vrp::ProblemKind::kCvrp, vrp::Layout::kX},
      {"vrptw", vrp::ProblemKind::kVrptw},
      {"vrptw_matrices", vrp::ProblemKind::kVrptw, vrp::Layout::kUniform, true},
      {"tsp", vrp::ProblemKind::kTsp},
      {"depots_skills",
       {},
       {},
       false,
       {vrp::Feature::kObjective, vrp::Feature::kSeveralDepots, vrp::Feature::kSkills,
        vrp::Feature::kSeveralWindows}},
      {"shipments", {}, {}, false, {vrp::Feature::kShipments, vrp::Feature::kLoadDimensions}},
  };
  for (const vrp::ScalingCase& scaling : cases) {
    for (const int32_t customers : vrp::kSizes) {
      if (scaling.matrices && customers > vrp::kMaxMatrixCustomers) continue;
      vrp::MeasureInOwnProcess(scaling, customers, absl::Seconds(seconds));
    }
  }
  return 0;
}
