// Compares estimates of costs with a regression, with searches of equal accuracy and with cheapest
// insertion, on fresh instances. compare_estimates.py makes a table of the lines.
//
//   estimate_bench MODEL LABELS INSTANCES SEED [MARGINALS]
//
// MODEL is a folder with weights and card. LABELS is a folder for labels, kept between runs.
// Bias factors of rivals are fitted to other instances, those of the model's validation.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/model/estimate/estimate_model.h"
#include "core/search/search.h"
#include "tests/bench/estimate_cases.h"
#include "tests/bench/estimate_marginals.h"
#include "tests/bench/json_line.h"
#include "tests/bench/or_exit.h"

namespace vrp {
namespace {

constexpr uint64_t kValidationSeed = 4321;  // of configs/estimate.yaml
constexpr int64_t kFittedInstances = 320;
constexpr int64_t kTimedInstances = 200;  // on which searches run
constexpr double kLabelSeconds = 1;

double SecondsSince(absl::Time begun) { return absl::ToDoubleSeconds(SteadyNow() - begun); }

nlohmann::ordered_json ErrorLine(const std::string& what, const ErrorMeans& means) {
  return {{"what", what},
          {"mean_error", means.all()},
          {"mean_error_without_windows", means.without_windows()},
          {"mean_error_with_windows", means.with_windows()}};
}

// Returns what the regression reads: sqrt(area x n), load times distance by capacity, and the
// distance from the depot times n.
std::vector<double> RegressionFeatures(const Instance& instance) {
  double left = instance.position(1).x, right = left;
  double low = instance.position(1).y, high = low;
  double radial = 0, distance = 0, load = 0;
  for (NodeIndex i = 1; i < instance.num_nodes(); ++i) {
    const Position at = instance.position(i);
    left = std::min(left, at.x);
    right = std::max(right, at.x);
    low = std::min(low, at.y);
    high = std::max(high, at.y);
    const double from_depot = instance.Distance(0, i);
    radial += 2 * from_depot * instance.demand(i) / instance.capacity();
    load += instance.demand(i) / instance.capacity();
    distance += from_depot;
  }
  const double n = instance.num_customers();
  return {std::sqrt((right - left) * (high - low) * n), radial, distance / n, load * distance / n};
}

void MeasureEstimates(const EstimateModel& model, const EstimateCases& fresh) {
  EstimateScratch scratch;
  ErrorMeans errors;
  int64_t covered = 0, routes_covered = 0, routes_right = 0, outside = 0;
  for (size_t i = 0; i < fresh.instances.size(); ++i) {
    const CostEstimate estimate = Value(model.Estimate(fresh.instances[i], scratch));
    const EstimateLabel& label = fresh.labels[i];
    errors.Add(fresh.instances[i].has_windows(), estimate.cost, label.cost);
    covered += label.cost >= estimate.cost_low && label.cost <= estimate.cost_high;
    routes_covered += label.routes >= estimate.routes_low && label.routes <= estimate.routes_high;
    routes_right += std::lround(estimate.routes) == label.routes;
    outside += !estimate.outside.empty();
  }
  const absl::Time begun = SteadyNow();
  for (const Instance& instance : fresh.instances) Value(model.Estimate(instance, scratch));
  const double seconds = SecondsSince(begun);
  const auto count = static_cast<double>(fresh.instances.size());
  nlohmann::ordered_json line = ErrorLine("estimate", errors);
  line["instances"] = fresh.instances.size();
  line["coverage"] = static_cast<double>(covered) / count;
  line["routes_coverage"] = static_cast<double>(routes_covered) / count;
  line["routes_right"] = static_cast<double>(routes_right) / count;
  line["outside"] = static_cast<double>(outside) / count;
  line["ms"] = 1000 * seconds / count;
  line["per_s"] = count / seconds;
  PrintMeasurement(line, 1);
}

void MeasureHundred(const EstimateModel& model) {
  const EstimateDraws draws = {.min_customers = 100, .max_customers = 100, .seed = 100};
  std::vector<Instance> instances;
  for (int64_t i = 0; i < 200; ++i) instances.push_back(Value(DrawEstimateInstance(draws, i)));
  EstimateScratch scratch;
  std::vector<double> times;
  for (int round = 0; round < 5; ++round) {
    const absl::Time begun = SteadyNow();
    for (const Instance& instance : instances) Value(model.Estimate(instance, scratch));
    times.push_back(1000 * SecondsSince(begun) / static_cast<double>(instances.size()));
  }
  PrintMeasurement({{"what", "estimate of 100 customers"}, {"ms", Median(times)}}, 1);
}

void MeasureRegression(const EstimateCases& fitted, const EstimateCases& fresh) {
  RelativeFit fit(4);
  for (size_t i = 0; i < fitted.instances.size(); ++i) {
    fit.Add(fitted.instances[i].has_windows(), RegressionFeatures(fitted.instances[i]),
            fitted.labels[i].cost);
  }
  fit.Solve();
  ErrorMeans errors;
  for (size_t i = 0; i < fresh.instances.size(); ++i) {
    const bool timed = fresh.instances[i].has_windows();
    errors.Add(timed, fit.Predict(timed, RegressionFeatures(fresh.instances[i])),
               fresh.labels[i].cost);
  }
  PrintMeasurement(ErrorLine("regression", errors), 1);
}

// Returns the cost that a search of `iterations` per customer finds.
double SearchedCost(const Instance& instance, int64_t iterations) {
  SearchOptions options;
  options.max_iterations = iterations * instance.num_customers();
  return Value(Search(instance, options)).cost;
}

// Measures a search whose costs are corrected by a factor a + b log(customers).
void MeasureSearch(int64_t iterations, const EstimateCases& fitted, const EstimateCases& fresh) {
  RelativeFit fit(1);
  const auto features = [](const Instance& instance) {
    return std::vector<double>{std::log(instance.num_customers())};
  };
  for (size_t i = 0; i < fitted.instances.size(); ++i) {
    const double cost = SearchedCost(fitted.instances[i], iterations);
    fit.Add(fitted.instances[i].has_windows(), features(fitted.instances[i]),
            fitted.labels[i].cost / cost);
  }
  fit.Solve();
  ErrorMeans errors;
  const size_t count = std::min<size_t>(kTimedInstances, fresh.instances.size());
  double seconds = 0;
  for (size_t i = 0; i < count; ++i) {
    const Instance& instance = fresh.instances[i];
    const absl::Time begun = SteadyNow();
    const double cost = SearchedCost(instance, iterations);
    seconds += SecondsSince(begun);
    errors.Add(instance.has_windows(),
               cost * fit.Predict(instance.has_windows(), features(instance)),
               fresh.labels[i].cost);
  }
  nlohmann::ordered_json line =
      ErrorLine(Concat("search, ", iterations, " iterations per customer"), errors);
  line["ms"] = 1000 * seconds / static_cast<double>(count);
  line["per_s"] = static_cast<double>(count) / seconds;
  PrintMeasurement(line, 1);
}

int Run(const std::string& directory, const std::string& folder, int64_t instances, uint64_t seed,
        int marginals) {
  std::cout << "{\"what\": \"seed of the fresh instances\", \"seed\": " << seed << "}\n";
  const EstimateModel model = Value(EstimateModel::Load(directory, directory));
  const EstimateCases fitted = MakeCases(
      {.draws = {.seed = kValidationSeed}, .instances = kFittedInstances, .seconds = kLabelSeconds},
      folder, 1);
  const EstimateCases fresh = MakeCases(
      {.draws = {.seed = seed}, .instances = instances, .seconds = kLabelSeconds}, folder, 1);
  MeasureEstimates(model, fresh);
  MeasureHundred(model);
  MeasureRegression(fitted, fresh);
  for (const int64_t iterations : {0, 1, 2, 5, 10, 20}) MeasureSearch(iterations, fitted, fresh);
  if (marginals > 0) MeasureMarginals(model, seed + 1, marginals, folder);
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: estimate_bench MODEL LABELS INSTANCES SEED [MARGINALS]\n";
    return 2;
  }
  return vrp::Run(argv[1], argv[2], std::atoll(argv[3]), std::strtoull(argv[4], nullptr, 10),
                  argc > 5 ? std::atoi(argv[5]) : 0);
}
