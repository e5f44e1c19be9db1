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
  bool timed = false;
  EstimateStatistics::Globals globals = {};
  std::array<double, 2> targets = {};
};

Measured Measure(const LabelTask& task, int64_t index, const EstimateLabel& label,
                 EstimateScratch& scratch) {
  Measured measured;
  measured.status = ChooseDrawn(task, index, false, scratch.problem);
  if (!measured.status.ok()) return measured;
  scratch.features.Compute(scratch.problem, false);
  measured.timed = scratch.problem.timed();
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

// Replaces a lower triangle, row-major, by the inverse of its Cholesky factor.
void InvertFactor(size_t size, std::vector<double>& matrix) {
  std::vector<double> inverse(size * size, 0.0);
  for (size_t r = 0; r < size; ++r) {
    for (size_t c = 0; c <= r; ++c) {
      double sum = matrix[r * size + c];
      for (size_t k = 0; k < c; ++k) sum -= matrix[r * size + k] * matrix[c * size + k];
      matrix[r * size + c] = r == c ? std::sqrt(std::max(sum, kRidge)) : sum / matrix[c * size + c];
    }
  }
  for (size_t c = 0; c < size; ++c) {
    for (size_t r = c; r < size; ++r) {
      double sum = r == c ? 1 : 0;
      for (size_t k = c; k < r; ++k) sum -= matrix[r * size + k] * inverse[k * size + c];
      inverse[r * size + c] = sum / matrix[r * size + r];
    }
  }
  matrix = std::move(inverse);
}

// Returns the region of the first features of `known`. Without any, nothing is known.
template <size_t kSize>
KnownRegion<kSize> RegionOf(const std::vector<EstimateStatistics::Globals>& known) {
  KnownRegion<kSize> region;
  if (known.empty()) return region;
  const auto count = static_cast<double>(known.size());
  std::array<double, kSize> means = {};
  for (const auto& one : known) {
    for (size_t k = 0; k < kSize; ++k) means[k] += static_cast<double>(one[k]) / count;
  }
  std::vector<double> matrix(kSize * kSize, 0.0);  // becomes the factor
  for (const auto& one : known) {
    for (size_t r = 0; r < kSize; ++r) {
      for (size_t c = 0; c <= r; ++c) {
        matrix[r * kSize + c] += (static_cast<double>(one[r]) - means[r]) *
                                 (static_cast<double>(one[c]) - means[c]) / count;
      }
    }
  }
  for (size_t k = 0; k < kSize; ++k) matrix[k * kSize + k] += kRidge;
  InvertFactor(kSize, matrix);
  const auto narrow = [](double x) { return static_cast<float>(x); };
  std::ranges::transform(means, region.means.begin(), narrow);
  std::ranges::transform(matrix, region.factor.begin(), narrow);
  std::vector<double> distances;
  for (const auto& one : known) distances.push_back(region.Distance(one));
  const auto at = static_cast<std::ptrdiff_t>(kKnownShare * (count - 1));
  std::nth_element(distances.begin(), distances.begin() + at, distances.end());
  region.limit = std::max(kLeastDeviation, static_cast<float>(kLimitSlack * distances[at]));
  return region;
}

EstimateStatistics StatisticsOf(const std::vector<Measured>& measured) {
  EstimateStatistics statistics;
  for (size_t g = 0; g < statistics.means.size(); ++g) {
    const auto value = [g](const Measured& one) { return static_cast<double>(one.globals[g]); };
    SetMoments(measured, value, statistics.means[g], statistics.deviations[g]);
  }
  for (size_t t = 0; t < statistics.target_means.size(); ++t) {
    SetMoments(
        measured, [t](const Measured& one) { return one.targets[t]; }, statistics.target_means[t],
        statistics.target_deviations[t]);
  }
  std::vector<EstimateStatistics::Globals> all, timed;
  for (const Measured& one : measured) {
    all.push_back(statistics.Normalised(one.globals));
    if (one.timed) timed.push_back(all.back());
  }
  statistics.layouts = RegionOf<kLayoutFeatures>(all);
  statistics.times = RegionOf<kEstimateGlobalCount>(timed);
  statistics.interval_factors = {1, 1};
  return statistics;
}

}  // namespace

LabelTask TrainingTask(const TrainingConfig& config) {
  const EstimateConfig& estimate = *config.estimate;
  return {.draws = {.min_customers = estimate.min_customers,
                    .max_customers = estimate.max_customers,
                    .windows = estimate.windows,
                    .seed = estimate.first_seed,
                    .long_routes = estimate.long_routes},
          .instances = estimate.instances,
          .pairs = estimate.pairs,
          .iterations = estimate.label_iterations};
}

LabelTask CoarseTask(const TrainingConfig& config) {
  LabelTask task = TrainingTask(config);
  ++task.draws.seed;
  task.instances = config.estimate->coarse_instances;
  task.pairs = 0;
  task.iterations = config.estimate->coarse_iterations;
  return task;
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
