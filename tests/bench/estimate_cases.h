// The instances, labels and errors by which the benchmarks of estimates compare.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/train/estimate/estimate_labels.h"

namespace vrp {

// Labelled instances.
struct EstimateCases {
  LabelTask task;
  std::vector<Instance> instances;
  std::vector<EstimateLabel> labels;
};

// Draws and labels the instances of `task`. Labels are in `folder` or are put there. Exits with an
// error if that fails.
EstimateCases MakeCases(const LabelTask& task, const std::string& folder, int threads);

// Mean relative errors, by whether instances have windows.
class ErrorMeans {
 public:
  void Add(bool timed, double estimate, double cost) {
    sums_[timed ? 1 : 0] += std::abs(estimate - cost) / cost;
    ++counts_[timed ? 1 : 0];
  }
  double all() const {
    return (sums_[0] + sums_[1]) / static_cast<double>(counts_[0] + counts_[1]);
  }
  double without_windows() const { return sums_[0] / static_cast<double>(counts_[0]); }
  double with_windows() const { return sums_[1] / static_cast<double>(counts_[1]); }

 private:
  double sums_[2] = {0, 0};
  int64_t counts_[2] = {0, 0};
};

// A least-squares fit of y to rows of features, weighted so that relative errors count. One for
// instances without windows and one with.
class RelativeFit {
 public:
  explicit RelativeFit(size_t features);
  void Add(bool timed, const std::vector<double>& features, double cost);
  void Solve();
  double Predict(bool timed, const std::vector<double>& features) const;

 private:
  size_t size_;
  std::vector<double> matrix_[2];  // [size, size + 1] normal equations
  std::vector<double> weights_[2];
};

// Returns Spearman's rank correlation; 0 if one side is constant.
double RankCorrelation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace vrp
