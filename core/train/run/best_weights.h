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
  // `keep_values`: whether the weights are kept too, for `training.publish: best`.
  explicit BestWeights(bool keep_values) : keep_values_(keep_values) {}

  // Takes over a validation with a lower cost than all before. `step` has `weights` and lies in
  // epoch `epoch` + 1, or ends epoch `epoch`.
  void Offer(const ValidationScore& score, int64_t epoch, int64_t step,
             std::span<const float> weights);

  double cost() const { return cost_; }                      // NaN before the first
  double gap() const { return gap_; }                        // of the same validation
  int64_t epoch() const { return epoch_; }                   // whole epochs at that validation
  int64_t step() const { return step_; }                     // 0 before the first
  std::span<const float> values() const { return values_; }  // empty if none are kept

  // The state for checkpoints, as of a learner (Learner::ScalarState).
  std::map<std::string, double> ScalarState() const;
  std::map<std::string, std::span<float>> TensorState();
  // Prepares TensorState for a checkpoint with `scalars`, whose network has `size` weights.
  // `has_values`: whether the checkpoint has the weights.
  void ExpectValues(const std::map<std::string, double>& scalars, bool has_values, int64_t size);
  void Restore(const std::map<std::string, double>& scalars);
  // Forgets a best validation whose weights are needed, but were not in the checkpoint. Returns its
  // step; 0 if there was nothing to forget.
  int64_t ForgetWithoutValues();
  // Returns whether checkpoints of earlier versions may lack scalar `name`.
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
