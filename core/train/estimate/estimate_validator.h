// Validates estimates, and corrects them by the validation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/model/estimate/estimate_model.h"
#include "core/train/estimate/estimate_data.h"

namespace vrp {

// The mean relative errors of a network on the validation, after its corrections.
struct EstimateScore {
  double error = 0;
  double error_without_windows = 0;  // 0: there are none
  double error_with_windows = 0;
};

// Instances held out, with labels that are better than those of the training. Labels to learn from
// are too high by what a longer search would find; the validation corrects estimates for that, by
// log(customers), with and without windows. It also sets how wide intervals must be to cover their
// share (split conformal prediction). Not thread-safe.
class EstimateValidator {
 public:
  // Measures the quick plan of each instance, corrected in the same way, as the reference. `pool`
  // must outlive the validator. Returns the errors of ChooseDrawn.
  static absl::StatusOr<EstimateValidator> Create(const LabelTask& task,
                                                  std::vector<EstimateLabel> labels,
                                                  double coverage, CpuPool& pool);

  // Scores `estimator`, and sets the corrections and factors of `statistics`, which are its own.
  absl::StatusOr<EstimateScore> Validate(const CostEstimator& estimator,
                                         EstimateStatistics& statistics) const;

  double reference() const { return reference_; }  // mean relative error of the quick plan

 private:
  // An estimate of a labelled instance.
  struct Case {
    double customers = 0;
    bool timed = false;
    double log_label = 0;
    double log_routes = 0;
    CostEstimator::Prediction predicted;
  };

  EstimateValidator(const LabelTask& task, std::vector<EstimateLabel> labels, double coverage,
                    CpuPool& pool)
      : task_(task), labels_(std::move(labels)), coverage_(coverage), pool_(&pool) {}

  // Predicts all instances. Without an estimator, predicts the costs of quick plans.
  absl::StatusOr<std::vector<Case>> Predict(const CostEstimator* estimator) const;
  EstimateScore Correct(const std::vector<Case>& cases, EstimateStatistics& statistics) const;

  LabelTask task_;
  std::vector<EstimateLabel> labels_;
  double coverage_;
  CpuPool* pool_;
  double reference_ = 0;
};

// Returns the quantile of a sample with which a share of new values is covered.
double ConformalQuantile(std::vector<double> values, double share);

}  // namespace vrp
