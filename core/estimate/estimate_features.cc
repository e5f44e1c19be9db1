#include "core/estimate/estimate_features.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vrp {
namespace {

constexpr float kFar = std::numeric_limits<float>::max();
constexpr float kSmall = 1e-3F;  // keeps logarithms and ratios of zero lengths finite

// Returns log(part / whole), at least that of kSmall.
float LogRatio(double part, double whole) {
  return static_cast<float>(std::log(std::max(part / whole, static_cast<double>(kSmall))));
}

// Mean and deviation of some values.
struct Moments {
  double sum = 0, squares = 0;
  int64_t count = 0;

  void Add(auto number) {
    const auto value = static_cast<double>(number);
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
  double deviation() const {
    return std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean() * mean()));
  }
};

}  // namespace

void EstimateFeatures::Compute(const Subproblem& problem, bool graph) {
  nodes_ = problem.nodes();
  savings_.Plan(problem);
  plan_cost_ = savings_.cost() * problem.scale();
  FindNearest(problem);
  if (graph) {
    SetNodes(problem);
    SetPairs(problem);
    if (problem.timed()) SetPairTimes(problem);
  }
  SetGlobals(problem);
  SetPlanGlobals(problem);
  SetTimeGlobals(problem);
}

void EstimateFeatures::FindNearest(const Subproblem& problem) {
  nearest_.assign(static_cast<size_t>(nodes_), 0);
  double sum = 0;
  for (int32_t i = 1; i < nodes_; ++i) {
    const float* const row = problem.DistancesFrom(i);
    float nearest = kFar;
    for (int32_t j = 1; j < i; ++j) nearest = std::min(nearest, row[j]);
    for (int32_t j = i + 1; j < nodes_; ++j) nearest = std::min(nearest, row[j]);
    nearest_[i] = nodes_ == 2 ? row[0] : nearest;
    sum += static_cast<double>(nearest_[i]);
  }
  nearest_mean_ = std::max(kSmall, static_cast<float>(sum / problem.customers()));
}

double EstimateFeatures::TreeLength(const Subproblem& problem) {
  key_.assign(problem.DistancesFrom(0), problem.DistancesFrom(0) + nodes_);
  key_[0] = -1;  // in the tree
  double length = 0;
  for (int32_t added = 1; added < nodes_; ++added) {
    int32_t best = 0;
    float shortest = kFar;
    for (int32_t i = 1; i < nodes_; ++i) {
      if (key_[i] >= 0 && key_[i] < shortest) {
        shortest = key_[i];
        best = i;
      }
    }
    length += static_cast<double>(shortest);
    key_[best] = -1;
    const float* const row = problem.DistancesFrom(best);
    for (int32_t i = 1; i < nodes_; ++i) key_[i] = std::min(key_[i], row[i]);
  }
  return length;
}

void EstimateFeatures::SetNodes(const Subproblem& problem) {
  node_features_.assign(static_cast<size_t>(nodes_) * kEstimateNodeInputs, 0);
  node_features_[0] = 1;
  node_features_[kEstimateNodeInputs - 1] = 1;
  const float horizon = std::max(kSmall, problem.timed() ? problem.horizon() : 1);
  const float share =
      static_cast<float>(problem.customers() / std::max(savings_.cost(), double{kSmall}));
  for (int32_t i = 1; i < nodes_; ++i) {
    float* const row = &node_features_[static_cast<size_t>(i) * kEstimateNodeInputs];
    const int32_t previous = savings_.previous(i);
    const int32_t next = savings_.next(i);
    const float detour = problem.Distance(previous, i) + problem.Distance(i, next) -
                         problem.Distance(previous, next);
    row[1] = problem.x(i);
    row[2] = problem.y(i);
    row[3] = problem.Distance(0, i);
    row[4] = problem.load(i);
    row[5] = nearest_[i] / nearest_mean_ * 0.5F;
    row[6] = detour * share * 0.5F;
    row[7] = 0.5F * static_cast<float>((previous == 0) + (next == 0));
    row[8] = savings_.route_load(i);
    row[kEstimateNodeInputs - 1] = 1;
    row[9] = 0.1F * static_cast<float>(savings_.route_size(i));
    if (!problem.timed()) continue;
    row[10] = problem.open(i) / horizon;
    row[11] = problem.close(i) / horizon;
    row[12] = 4 * problem.service(i) / horizon;
    row[13] = problem.has_window(i) ? 1 : 0;
    row[14] = (problem.close(i) - std::max(problem.open(i), problem.Distance(0, i))) / horizon;
  }
}

void EstimateFeatures::Turn(float cosine, float sine, bool mirror) {
  for (int32_t i = 1; i < nodes_; ++i) {
    float* const row = &node_features_[static_cast<size_t>(i) * kEstimateNodeInputs];
    const float x = mirror ? -row[1] : row[1];
    const float y = row[2];
    row[1] = cosine * x - sine * y;
    row[2] = sine * x + cosine * y;
  }
}

void EstimateFeatures::SetPairs(const Subproblem& problem) {
  const auto count = static_cast<size_t>(nodes_);
  const size_t plane = count * count;
  pair_features_.resize(kEstimatePairFeatures * plane);
  float* const near = &pair_features_[plane];
  float* const planned = &pair_features_[2 * plane];
  const float unit = 1 / (2 * nearest_mean_);
  const float* const distances = problem.DistancesFrom(0);
  for (size_t k = 0; k < plane; ++k) {
    pair_features_[k] = distances[k];
    near[k] = 1 / (1 + distances[k] * unit);
  }
  std::fill_n(planned, 2 * plane, 0.0F);
  for (size_t i = 1; i < count; ++i) {
    for (const int32_t j : {savings_.previous(int32_t(i)), savings_.next(int32_t(i))}) {
      planned[i * count + size_t(j)] = 1;
      planned[size_t(j) * count + i] = 1;
    }
  }
}

void EstimateFeatures::SetPairTimes(const Subproblem& problem) {
  const auto count = static_cast<size_t>(nodes_);
  float* const forbidden = &pair_features_[3 * count * count];
  for (int32_t i = 1; i < nodes_; ++i) {
    const float start = std::max(problem.open(i), problem.Distance(0, i)) + problem.service(i);
    const float* const row = problem.DistancesFrom(i);
    float* const to = forbidden + static_cast<size_t>(i) * count;
    for (int32_t j = 1; j < nodes_; ++j) to[j] = start + row[j] > problem.close(j) ? 1 : 0;
  }
}

void EstimateFeatures::SetGlobals(const Subproblem& problem) {
  const double cost = std::max(savings_.cost(), double{kSmall});
  const double customers = problem.customers();
  Moments x, y, load, near;
  double radial = 0;
  float left = kFar, right = -kFar, low = kFar, high = -kFar, largest = 0;
  for (int32_t i = 1; i < nodes_; ++i) {
    x.Add(problem.x(i));
    y.Add(problem.y(i));
    load.Add(problem.load(i));
    near.Add(nearest_[i]);
    radial += 2.0 * static_cast<double>(problem.Distance(0, i) * problem.load(i));
    left = std::min(left, problem.x(i));
    right = std::max(right, problem.x(i));
    low = std::min(low, problem.y(i));
    high = std::max(high, problem.y(i));
    largest = std::max(largest, problem.load(i));
  }
  const double spread = std::hypot(x.deviation(), y.deviation());
  const double area = static_cast<double>(right - left) * static_cast<double>(high - low);
  const double bound = std::max(1.0, std::ceil(load.sum - 1e-4));
  globals_[0] = static_cast<float>(std::log(customers));
  globals_[1] = LogRatio(TreeLength(problem), cost);
  globals_[2] = LogRatio(near.sum, cost);
  globals_[3] = LogRatio(radial, cost);
  globals_[4] = LogRatio(std::sqrt(area * customers), cost);
  globals_[5] = LogRatio(spread * std::sqrt(customers), cost);
  globals_[6] = static_cast<float>(std::hypot(x.mean(), y.mean()));
  globals_[7] = static_cast<float>(std::log(std::max(load.sum, double{kSmall})));
  globals_[8] = static_cast<float>(std::log(savings_.routes()));
  globals_[9] = static_cast<float>(load.sum / savings_.routes());
  globals_[10] = static_cast<float>(load.deviation() / std::max(load.mean(), 1e-6));
  globals_[11] = largest;
  globals_[12] = static_cast<float>(near.deviation() / nearest_mean_);
  globals_[13] = static_cast<float>(std::log(bound / savings_.routes()));
}

void EstimateFeatures::SetPlanGlobals(const Subproblem& problem) {
  const double cost = std::max(savings_.cost(), double{kSmall});
  const double customers = problem.customers();
  Moments detour, fill, size, distance;
  double ends = 0, inner = 0, cosines = 0, sines = 0, nearest = 0;
  int32_t half_empty = 0, beside = 0;
  for (int32_t i = 1; i < nodes_; ++i) {
    const int32_t previous = savings_.previous(i);
    const int32_t next = savings_.next(i);
    const float* const row = problem.DistancesFrom(i);
    detour.Add(row[previous] + row[next] - problem.Distance(previous, next));
    distance.Add(row[0]);
    nearest += static_cast<double>(nearest_[i]);
    cosines += static_cast<double>(problem.x(i) / std::max(kSmall, row[0]));
    sines += static_cast<double>(problem.y(i) / std::max(kSmall, row[0]));
    beside += std::min(row[previous], row[next]) <= nearest_[i] ? 1 : 0;
    (next == 0 ? ends : inner) += static_cast<double>(row[next]);
    if (previous != 0) continue;
    ends += static_cast<double>(row[0]);
    const float load = savings_.route_load(i);
    fill.Add(load);
    size.Add(savings_.route_size(i));
    half_empty += load < 0.5F ? 1 : 0;
  }
  globals_[14] = LogRatio(ends, cost);
  globals_[15] = LogRatio(inner, std::max(nearest, double{kSmall}));
  globals_[16] = static_cast<float>(detour.sum / cost);
  globals_[17] = static_cast<float>(detour.deviation() / std::max(detour.mean(), double{kSmall}));
  globals_[18] = static_cast<float>(fill.deviation());
  globals_[19] = static_cast<float>(size.deviation() / size.mean());
  globals_[20] = static_cast<float>(half_empty) / static_cast<float>(savings_.routes());
  globals_[21] = static_cast<float>(beside / customers);
  globals_[22] = static_cast<float>(distance.deviation());
  globals_[23] = static_cast<float>(std::hypot(cosines, sines) / customers);
}

void EstimateFeatures::SetTimeGlobals(const Subproblem& problem) {
  std::fill(globals_.begin() + kEstimateLayoutGlobals, globals_.end(), 0.0F);
  if (!problem.timed()) return;
  const float horizon = std::max(kSmall, problem.horizon());
  double windows = 0, service = 0;
  Moments width, centre;
  for (int32_t i = 1; i < nodes_; ++i) {
    windows += problem.has_window(i) ? 1 : 0;
    width.Add((problem.close(i) - problem.open(i)) / horizon);
    centre.Add(0.5F * (problem.close(i) + problem.open(i)) / horizon);
    service += static_cast<double>(problem.service(i));
  }
  const double customers = problem.customers();
  const double busy = service + savings_.cost() + savings_.waiting();
  globals_[24] = static_cast<float>(windows / customers);
  globals_[25] = static_cast<float>(width.mean());
  globals_[26] = 1 / horizon;
  globals_[27] = static_cast<float>(service / busy);
  globals_[28] = static_cast<float>(savings_.waiting() / busy);
  globals_[29] = static_cast<float>(std::log(std::max(busy / (horizon * savings_.routes()), 1e-3)));
  globals_[30] = static_cast<float>(savings_.forbidden());
  globals_[31] = LogRatio(width.mean(), 1);
  globals_[32] = static_cast<float>(width.deviation());
  globals_[33] = static_cast<float>(centre.deviation());
}

}  // namespace vrp
