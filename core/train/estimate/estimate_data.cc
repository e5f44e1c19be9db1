#include "core/train/estimate/estimate_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

constexpr int64_t kMeasuredTogether = 256;  // instances of a piece of work
constexpr float kLeastDeviation = 1e-3F;
constexpr double kRidge = 0.01;        // added to variances of normalised features
constexpr double kKnownShare = 0.999;  // of the training's layouts
constexpr double kLimitSlack = 1.1;

// The features and targets of an instance.
struct Measured {
  absl::Status status;
  EstimateStatistics::Globals globals = {};
  std::array<double, 2> targets = {};
};

Measured Measure(const LabelTask& task, int64_t index, const EstimateLabel& label,
                 EstimateScratch& scratch) {
  Measured measured;
  measured.status = ChooseDrawn(task, index, false, scratch.problem);
  if (!measured.status.ok()) return measured;
  scratch.features.Compute(scratch.problem);
  measured.globals = scratch.features.globals();
  measured.targets = {std::log(label.cost / scratch.features.plan_cost()),
                      std::log(static_cast<double>(label.routes) /
                               static_cast<double>(scratch.features.plan_routes()))};
  return measured;
}

// Sets mean and deviation of the values that `value` returns of each instance.
template <typename Value>
void SetMoments(const std::vector<Measured>& measured, Value value, float& mean, float& deviation) {
  double sum = 0;
  double squares = 0;
  for (const Measured& one : measured) {
    const double x = value(one);
    sum += x;
    squares += x * x;
  }
  const auto count = static_cast<double>(measured.size());
  mean = static_cast<float>(sum / count);
  const double variance = squares / count - (sum / count) * (sum / count);
  deviation = std::max(kLeastDeviation, static_cast<float>(std::sqrt(std::max(0.0, variance))));
}

// Sets the inverse of the Cholesky factor of the covariance of normalised layout features.
void SetFactor(const std::vector<EstimateStatistics::Globals>& normalised,
               EstimateStatistics& statistics) {
  constexpr int32_t kSize = kLayoutFeatures;
  std::vector<double> matrix(kSize * kSize, 0.0);  // becomes the factor
  for (const EstimateStatistics::Globals& one : normalised) {
    for (int32_t r = 0; r < kSize; ++r) {
      for (int32_t c = 0; c <= r; ++c) {
        matrix[r * kSize + c] += static_cast<double>(one[r]) * static_cast<double>(one[c]) /
                                 static_cast<double>(normalised.size());
      }
    }
  }
  std::vector<double> inverse(kSize * kSize, 0.0);
  for (int32_t r = 0; r < kSize; ++r) {
    for (int32_t c = 0; c <= r; ++c) {
      double sum = matrix[r * kSize + c] + (r == c ? kRidge : 0);
      for (int32_t k = 0; k < c; ++k) sum -= matrix[r * kSize + k] * matrix[c * kSize + k];
      matrix[r * kSize + c] =
          r == c ? std::sqrt(std::max(sum, kRidge)) : sum / matrix[c * kSize + c];
    }
  }
  for (int32_t c = 0; c < kSize; ++c) {
    for (int32_t r = c; r < kSize; ++r) {
      double sum = r == c ? 1 : 0;
      for (int32_t k = c; k < r; ++k) sum -= matrix[r * kSize + k] * inverse[k * kSize + c];
      inverse[r * kSize + c] = sum / matrix[r * kSize + r];
    }
  }
  std::transform(inverse.begin(), inverse.end(), statistics.factor.begin(),
                 [](double x) { return static_cast<float>(x); });
}

EstimateStatistics StatisticsOf(const std::vector<Measured>& measured) {
  EstimateStatistics statistics;
  for (size_t g = 0; g < statistics.means.size(); ++g) {
    const auto value = [g](const Measured& one) { return static_cast<double>(one.globals[g]); };
    SetMoments(measured, value, statistics.means[g], statistics.deviations[g]);
    const auto [low, high] = std::minmax_element(
        measured.begin(), measured.end(),
        [g](const Measured& a, const Measured& b) { return a.globals[g] < b.globals[g]; });
    statistics.low[g] = low->globals[g];
    statistics.high[g] = high->globals[g];
  }
  for (size_t t = 0; t < statistics.target_means.size(); ++t) {
    SetMoments(
        measured, [t](const Measured& one) { return one.targets[t]; }, statistics.target_means[t],
        statistics.target_deviations[t]);
  }
  std::vector<EstimateStatistics::Globals> normalised;
  for (const Measured& one : measured) normalised.push_back(statistics.Normalised(one.globals));
  SetFactor(normalised, statistics);
  std::vector<double> distances;
  for (const auto& one : normalised) distances.push_back(statistics.LayoutDistance(one));
  const auto known = static_cast<std::ptrdiff_t>(kKnownShare * (std::ssize(distances) - 1));
  std::nth_element(distances.begin(), distances.begin() + known, distances.end());
  statistics.layout_limit =
      std::max(kLeastDeviation, static_cast<float>(kLimitSlack * distances[known]));
  statistics.interval_factors = {1, 1};
  return statistics;
}

}  // namespace

LabelTask TrainingTask(const TrainingConfig& config) {
  const EstimateConfig& estimate = *config.estimate;
  return {.draws = {.min_customers = estimate.min_customers,
                    .max_customers = estimate.max_customers,
                    .windows = estimate.windows,
                    .seed = estimate.first_seed},
          .instances = estimate.instances,
          .pairs = estimate.pairs,
          .iterations = estimate.label_iterations};
}

LabelTask ValidationTask(const TrainingConfig& config) {
  LabelTask task = TrainingTask(config);
  task.draws.seed = config.validation.seed;
  task.instances = config.validation.instances;
  task.pairs = 0;
  task.iterations = config.estimate->validation_iterations;
  task.seconds = config.estimate->validation_seconds;
  return task;
}

absl::Status ChooseDrawn(const LabelTask& task, int64_t index, bool without_last,
                         Subproblem& problem) {
  VRP_ASSIGN_OR_RETURN(const Instance instance, DrawEstimateInstance(task.draws, index));
  if (!without_last) return problem.ChooseAll(instance);
  std::vector<NodeIndex> customers(static_cast<size_t>(instance.num_customers()) - 1);
  std::iota(customers.begin(), customers.end(), 1);
  return problem.Choose(instance, customers);
}

absl::StatusOr<EstimateStatistics> MeasureInstances(const LabelTask& task,
                                                    const std::vector<EstimateLabel>& labels,
                                                    CpuPool& pool, const StopCondition& stop) {
  std::vector<Measured> measured(labels.size());
  const int64_t pieces = (std::ssize(labels) + kMeasuredTogether - 1) / kMeasuredTogether;
  pool.ParallelFor(pieces, [&](int64_t piece) {
    EstimateScratch scratch;
    const int64_t first = piece * kMeasuredTogether;
    const int64_t last = std::min(first + kMeasuredTogether, std::ssize(labels));
    for (int64_t i = first; i < last && !stop.ShouldStop(); ++i) {
      const auto at = static_cast<size_t>(i);
      measured[at] = Measure(task, i, labels[at], scratch);
    }
  });
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while instances were measured");
  for (const Measured& one : measured) VRP_RETURN_IF_ERROR(one.status);
  return StatisticsOf(measured);
}

}  // namespace vrp
