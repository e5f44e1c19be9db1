#include "core/train/run/best_weights.h"

#include <cmath>
#include <utility>

#include "core/train/run/scalar_state.h"

namespace vrp {
namespace {

constexpr char kBestCost[] = "best_cost";
constexpr char kBestGap[] = "best_gap";
constexpr char kBestEpoch[] = "best_epoch";
constexpr char kBestStep[] = "best_step";
constexpr char kBestParameters[] = "best.parameters";

}  // namespace

void BestWeights::Offer(const ValidationScore& score, int64_t epoch, int64_t step,
                        std::span<const float> weights) {
  if (!std::isfinite(score.cost) || score.cost >= cost_) return;
  cost_ = score.cost;
  gap_ = score.gap;
  epoch_ = epoch;
  step_ = step;
  if (keep_values_) values_.assign(weights.begin(), weights.end());
}

std::map<std::string, double> BestWeights::ScalarState() const {
  std::map<std::string, double> scalars = {{kBestEpoch, static_cast<double>(epoch_)},
                                           {kBestStep, static_cast<double>(step_)}};
  PutFinite(scalars, kBestCost, cost_);
  PutFinite(scalars, kBestGap, gap_);
  return scalars;
}

std::map<std::string, std::span<float>> BestWeights::TensorState() {
  if (values_.empty()) return {};
  return {{kBestParameters, values_}};
}

void BestWeights::ExpectValues(const std::map<std::string, double>& scalars, bool has_values,
                               int64_t size) {
  if (keep_values_ && scalars.at(kBestStep) > 0 && has_values) {
    values_.resize(static_cast<size_t>(size));
  }
}

void BestWeights::Restore(const std::map<std::string, double>& scalars) {
  epoch_ = static_cast<int64_t>(scalars.at(kBestEpoch));
  step_ = static_cast<int64_t>(scalars.at(kBestStep));
  cost_ = GetFinite(scalars, kBestCost);
  gap_ = GetFinite(scalars, kBestGap);
}

int64_t BestWeights::ResetIfWeightsMissing() {
  if (!keep_values_ || step_ == 0 || !values_.empty()) return 0;
  cost_ = gap_ = kNoCost;
  epoch_ = 0;
  return std::exchange(step_, 0);
}

bool BestWeights::IsOptional(const std::string& name) {
  return name == kBestGap || name == std::string("has_") + kBestGap;
}

std::string BestWeights::TensorName() { return kBestParameters; }

}  // namespace vrp
