#include "core/train/estimate/estimate_validator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

constexpr int64_t kValidatedTogether = 32;  // instances of a piece of work
constexpr size_t kFewestToFit = 20;         // cases of a line; fewer give a constant

// The least-squares line through points.
struct Line {
  double constant = 0;
  double slope = 0;
};

Line FitLine(const std::vector<std::pair<double, double>>& points) {
  if (points.empty()) return {};
  double x = 0, y = 0;
  const auto count = static_cast<double>(points.size());
  for (const auto& [px, py] : points) {
    x += px / count;
    y += py / count;
  }
  double xx = 0, xy = 0;
  for (const auto& [px, py] : points) {
    xx += (px - x) * (px - x);
    xy += (px - x) * (py - y);
  }
  const double slope = points.size() >= kFewestToFit && xx > 0 ? xy / xx : 0;
  return {.constant = y - slope * x, .slope = slope};
}

}  // namespace

double ConformalQuantile(std::vector<double> values, double share) {
  if (values.empty()) return 1;
  std::sort(values.begin(), values.end());
  const auto rank =
      static_cast<size_t>(std::ceil(share * (static_cast<double>(values.size()) + 1)));
  return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
}

absl::StatusOr<EstimateValidator> EstimateValidator::Create(const LabelTask& task,
                                                            std::vector<EstimateLabel> labels,
                                                            double coverage, CpuPool& pool) {
  EstimateValidator validator(task, std::move(labels), coverage, pool);
  VRP_ASSIGN_OR_RETURN(const std::vector<Case> cases, validator.Predict(nullptr));
  EstimateStatistics unused;
  validator.reference_ = validator.Correct(cases, unused).error;
  return validator;
}

absl::StatusOr<EstimateScore> EstimateValidator::Validate(const CostEstimator& estimator,
                                                          EstimateStatistics& statistics) const {
  VRP_ASSIGN_OR_RETURN(const std::vector<Case> cases, Predict(&estimator));
  return Correct(cases, statistics);
}

absl::StatusOr<std::vector<EstimateValidator::Case>> EstimateValidator::Predict(
    const CostEstimator* estimator) const {
  std::vector<Case> cases(labels_.size());
  std::vector<absl::Status> status(labels_.size());
  const int64_t pieces = (std::ssize(labels_) + kValidatedTogether - 1) / kValidatedTogether;
  pool_->ParallelFor(pieces, [&](int64_t piece) {
    EstimateScratch scratch;
    const int64_t first = piece * kValidatedTogether;
    for (int64_t i = first; i < std::min(first + kValidatedTogether, std::ssize(labels_)); ++i) {
      const auto at = static_cast<size_t>(i);
      status[at] = ChooseDrawn(task_, i, false, scratch.problem);
      if (!status[at].ok()) continue;
      cases[at].customers = scratch.problem.customers();
      cases[at].timed = scratch.problem.timed();
      cases[at].log_label = std::log(labels_[at].cost);
      cases[at].log_routes = std::log(labels_[at].routes);
      if (estimator != nullptr) {
        cases[at].predicted = estimator->Predict(scratch);
      } else {
        scratch.features.Compute(scratch.problem, false);
        cases[at].predicted.log_cost = std::log(scratch.features.plan_cost());
      }
    }
  });
  for (const absl::Status& one : status) VRP_RETURN_IF_ERROR(one);
  return cases;
}

EstimateScore EstimateValidator::Correct(const std::vector<Case>& cases,
                                         EstimateStatistics& statistics) const {
  std::vector<std::pair<double, double>> points[2];
  for (const Case& one : cases) {
    points[one.timed ? 1 : 0].emplace_back(std::log(one.customers),
                                           one.predicted.log_cost - one.log_label);
  }
  for (const size_t timed : {0, 1}) {
    const Line line = FitLine(points[timed]);
    statistics.corrections[2 * timed] = static_cast<float>(line.constant);
    statistics.corrections[2 * timed + 1] = static_cast<float>(line.slope);
  }
  std::vector<double> costs, routes;
  double errors[2] = {0, 0};
  for (const Case& one : cases) {
    const double log_error =
        one.predicted.log_cost - statistics.Correction(one.customers, one.timed) - one.log_label;
    errors[one.timed ? 1 : 0] += std::abs(std::expm1(log_error));
    costs.push_back(std::abs(log_error) / std::max(one.predicted.cost_scale, 1e-9));
    routes.push_back(std::abs(one.predicted.log_routes - one.log_routes) /
                     std::max(one.predicted.routes_scale, 1e-9));
  }
  statistics.interval_factors = {static_cast<float>(ConformalQuantile(costs, coverage_)),
                                 static_cast<float>(ConformalQuantile(routes, coverage_))};
  const auto mean = [&](double sum, size_t count) {
    return count == 0 ? 0 : sum / static_cast<double>(count);
  };
  return {.error = mean(errors[0] + errors[1], cases.size()),
          .error_without_windows = mean(errors[0], points[0].size()),
          .error_with_windows = mean(errors[1], points[1].size())};
}

}  // namespace vrp
