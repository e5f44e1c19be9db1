#include "core/train/estimate/added_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/status_macros.h"
#include "core/train/estimate/estimate_instances.h"

namespace vrp {
namespace {

constexpr int64_t kComparedTogether = 64;  // pairs of a piece of work
constexpr size_t kWeights = kAddedFeatureCount;
constexpr int kRounds = 20;           // of least squares, weighted by the errors of the one before
constexpr double kLeastError = 0.1;   // for the weight of a pair
constexpr double kAddedRidge = 0.01;  // added to the diagonal

// A pair: the features of its customer and what it adds, in their unit.
struct Added {
  absl::Status status;
  bool known = false;
  bool timed = false;
  AddedCustomer::Features features = {};
  double cost = 0;
};

Added Measure(const LabelTask& task, int64_t index, const EstimateLabel& label,
              AddedCustomer& added) {
  Added measured;
  const absl::StatusOr<Instance> instance = DrawEstimateInstance(task.draws, index);
  measured.status = instance.status();
  if (!measured.status.ok()) return measured;
  std::vector<NodeIndex> base(static_cast<size_t>(instance->num_customers()) - 1);
  std::iota(base.begin(), base.end(), 1);
  measured.status = added.SetBase(*instance, base);
  if (!measured.status.ok()) return measured;
  const auto features = added.Compute(instance->num_nodes() - 1);
  measured.status = features.status();
  if (!measured.status.ok()) return measured;
  measured.known = true;
  measured.timed = added.timed();
  measured.features = *features;
  measured.cost = (label.cost - label.cost_without) / added.unit();
  return measured;
}

// The normal equations of a weighted least-squares fit.
class Equations {
 public:
  Equations() {
    for (size_t k = 0; k < kWeights; ++k) at(k, k) = kAddedRidge;
  }
  void Add(const AddedCustomer::Features& features, double cost, double weight) {
    for (size_t r = 0; r < kWeights; ++r) {
      const double row = weight * static_cast<double>(features[r]);
      for (size_t c = 0; c < kWeights; ++c) at(r, c) += row * static_cast<double>(features[c]);
      at(r, kWeights) += row * cost;
    }
  }
  // Returns the solution, by elimination; the matrix is positive definite.
  std::array<double, kWeights> Solve() {
    for (size_t k = 0; k < kWeights; ++k) {
      for (size_t r = 0; r < kWeights; ++r) {
        if (r == k) continue;
        const double factor = at(r, k) / at(k, k);
        for (size_t c = k; c <= kWeights; ++c) at(r, c) -= factor * at(k, c);
      }
    }
    std::array<double, kWeights> solution;
    for (size_t k = 0; k < kWeights; ++k) solution[k] = at(k, kWeights) / at(k, k);
    return solution;
  }

 private:
  double& at(size_t r, size_t c) { return matrix_[r * (kWeights + 1) + c]; }
  std::array<double, kWeights*(kWeights + 1)> matrix_ = {};
};

// Returns the weights with the least absolute errors, by weighted least squares.
std::array<double, kWeights> Fit(const std::vector<Added>& pairs, bool timed) {
  std::array<double, kWeights> weights = {};
  for (int round = 0; round < kRounds; ++round) {
    Equations equations;
    for (const Added& pair : pairs) {
      if (!pair.known || pair.timed != timed) continue;
      double error = pair.cost;
      for (size_t k = 0; k < kWeights; ++k) {
        error -= weights[k] * static_cast<double>(pair.features[k]);
      }
      equations.Add(pair.features, pair.cost,
                    round == 0 ? 1 : 1 / std::max(kLeastError, std::abs(error)));
    }
    weights = equations.Solve();
  }
  return weights;
}

}  // namespace

absl::StatusOr<std::array<float, 2 * size_t{kAddedFeatureCount}>> FitAddedCosts(
    const LabelTask& task, const std::vector<EstimateLabel>& labels, CpuPool& pool,
    const StopCondition& stop) {
  std::vector<Added> pairs(labels.size());
  const int64_t pieces = (std::ssize(labels) + kComparedTogether - 1) / kComparedTogether;
  pool.ParallelFor(pieces, [&](int64_t piece) {
    AddedCustomer added;
    const int64_t first = piece * kComparedTogether;
    const int64_t last = std::min(first + kComparedTogether, std::ssize(labels));
    for (int64_t i = first; i < last && !stop.ShouldStop(); ++i) {
      const auto at = static_cast<size_t>(i);
      if (labels[at].paired) pairs[at] = Measure(task, i, labels[at], added);
    }
  });
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while pairs were measured");
  for (const Added& pair : pairs) VRP_RETURN_IF_ERROR(pair.status);
  std::array<float, 2 * kWeights> result = {};
  for (const bool timed : {false, true}) {
    const std::array<double, kWeights> weights = Fit(pairs, timed);
    std::ranges::transform(weights, result.begin() + (timed ? kWeights : 0),
                           [](double x) { return static_cast<float>(x); });
  }
  return result;
}

}  // namespace vrp
