#include "tests/bench/estimate_cases.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/file.h"
#include "tests/bench/or_exit.h"

namespace vrp {
namespace {

std::vector<double> RanksOf(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (size_t k = first; k < last; ++k) {
      ranks[order[k]] = 0.5 * static_cast<double>(first + last - 1);
    }
    first = last;
  }
  return ranks;
}

}  // namespace

EstimateCases MakeCases(const LabelTask& task, const std::string& folder, int threads) {
  EstimateCases cases = {.task = task, .instances = {}, .labels = {}};
  CpuPool pool(threads);
  cases.labels = Value(MakeEstimateLabels(task, {.folder = folder, .pool = &pool})).labels;
  for (int64_t i = 0; i < task.instances; ++i) {
    cases.instances.push_back(Value(DrawEstimateInstance(task.draws, i)));
  }
  return cases;
}

RelativeFit::RelativeFit(size_t features) : size_(features + 1) {
  for (auto& matrix : matrix_) matrix.assign(size_ * (size_ + 1), 0);
}

void RelativeFit::Add(bool timed, const std::vector<double>& features, double cost) {
  std::vector<double> row = features;
  row.push_back(1);
  std::vector<double>& matrix = matrix_[timed ? 1 : 0];
  for (size_t i = 0; i < size_; ++i) {
    for (size_t j = 0; j < size_; ++j) {
      matrix[i * (size_ + 1) + j] += row[i] * row[j] / (cost * cost);
    }
    matrix[i * (size_ + 1) + size_] += row[i] / cost;
  }
}

void RelativeFit::Solve() {
  for (const size_t timed : {0, 1}) {
    std::vector<double>& m = matrix_[timed];
    const size_t width = size_ + 1;
    for (size_t k = 0; k < size_; ++k) m[k * width + k] *= 1 + 1e-9;
    for (size_t k = 0; k < size_; ++k) {
      for (size_t r = 0; r < size_; ++r) {
        if (r == k || m[k * width + k] == 0) continue;
        const double factor = m[r * width + k] / m[k * width + k];
        for (size_t c = k; c < width; ++c) m[r * width + c] -= factor * m[k * width + c];
      }
    }
    weights_[timed].resize(size_);
    for (size_t k = 0; k < size_; ++k) {
      weights_[timed][k] = m[k * width + k] == 0 ? 0 : m[k * width + size_] / m[k * width + k];
    }
  }
}

double RelativeFit::Predict(bool timed, const std::vector<double>& features) const {
  const std::vector<double>& weights = weights_[timed ? 1 : 0];
  return std::inner_product(features.begin(), features.end(), weights.begin(), weights.back());
}

double RankCorrelation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = RanksOf(a);
  const std::vector<double> y = RanksOf(b);
  const double mean = 0.5 * static_cast<double>(a.size() - 1);
  double xy = 0, xx = 0, yy = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    xy += (x[k] - mean) * (y[k] - mean);
    xx += (x[k] - mean) * (x[k] - mean);
    yy += (y[k] - mean) * (y[k] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace vrp
