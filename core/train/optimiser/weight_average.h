// The moving average of a network's weights over its steps. Needs no torch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "core/base/cpu_pool.h"
#include "core/model/policy/policy_engine.h"

namespace vrp {

// A moving average: average += (1 - d) (weights - average). d is `decay`, but at update t at most
// (1 + t) / (10 + t), so that the first weights soon lose their influence. See Polyak and Juditsky
// 1992; Izmailov et al. 2018, "Averaging weights leads to wider optima and better generalization".
// Each element is updated separately, so that the result does not depend on the number of threads.
// Not thread-safe.
class WeightAverage {
 public:
  // Starts at `weights` ([size] float32). `decay` is in (0, 1).
  WeightAverage(double decay, std::span<const float> weights);

  // Adds the weights after update `step` (from 1; skipped steps do not count). `pool` may be null;
  // the calling thread then does all the work.
  void Add(std::span<const float> weights, int64_t step, CpuPool* pool);

  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }

 private:
  const double decay_;
  std::vector<float> values_;
};

// Calls `work`. If there is an average, `engine` has it as its weights during the call. Returns the
// first error, of `work` or of the engine's change of weights.
absl::Status WithAveragedWeights(std::optional<WeightAverage>& average, PolicyEngine& engine,
                                 absl::FunctionRef<absl::Status()> work);

}  // namespace vrp
