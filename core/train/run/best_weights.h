// The best validation of a run and its weights.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/train/run/validation_set.h"

namespace vrp {

class BestWeights {
 public:
  // Starts without a validation. `keep_values`: whether the weights are also kept, for
  // `training.publish: best`.
  explicit BestWeights(bool keep_values) : keep_values_(keep_values) {}

  // Records a validation if its cost is lower than all before. `weights` are those after `step`,
  // which is in epoch `epoch` + 1 or ends epoch `epoch`.
  void Offer(const ValidationScore& score, int64_t epoch, int64_t step,
             std::span<const float> weights);

  double cost() const { return cost_; }                      // NaN before the first
  double gap() const { return gap_; }                        // gap of the same validation
  int64_t epoch() const { return epoch_; }                   // whole epochs until then
  int64_t step() const { return step_; }                     // 0 before the first
  std::span<const float> values() const { return values_; }  // empty if none are kept

  // Returns the state for checkpoints, like Learner::ScalarState.
  std::map<std::string, double> ScalarState() const;
  std::map<std::string, std::span<float>> TensorState();
  // Prepares TensorState for a checkpoint with `scalars`, whose network has `size` weights.
  // `has_values`: whether the checkpoint has the weights.
  void ExpectValues(const std::map<std::string, double>& scalars, bool has_values, int64_t size);
  void Restore(const std::map<std::string, double>& scalars);
  // Forgets a best validation if its weights are needed but missing in the checkpoint. Returns its
  // step, or 0 if nothing was forgotten.
  int64_t ResetIfWeightsMissing();
  // Whether checkpoints of earlier versions may lack scalar `name`.
  static bool IsOptional(const std::string& name);
  // Returns the name of the tensor with the weights.
  static std::string TensorName();

 private:
  static constexpr double kNoCost = std::numeric_limits<double>::quiet_NaN();

  const bool keep_values_;
  double cost_ = kNoCost;
  double gap_ = kNoCost;
  int64_t epoch_ = 0;
  int64_t step_ = 0;
  std::vector<float> values_;
};

}  // namespace vrp
