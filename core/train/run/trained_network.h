// The network under training, its optimiser and the average of its weights. Needs no torch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/optimiser/adamw.h"
#include "core/train/optimiser/weight_average.h"
#include "core/train/run/run_context.h"

namespace vrp {

// The network of one run. Not thread-safe.
class TrainedNetwork {
 public:
  // Makes the engine by `factory`. Loads the weights of training.initial_model if it is set.
  // Returns the errors of `factory` and LoadInitialModel.
  static absl::StatusOr<std::unique_ptr<TrainedNetwork>> Make(RunContext& context,
                                                              const EngineFactory& factory);

  // Returns the engine of the greedy_rollout baseline, or null with other baselines and methods.
  absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeBaseline(const EngineFactory& factory) const;

  PolicyEngine& engine() { return *engine_; }
  const PolicyEngine& engine() const { return *engine_; }
  // Returns the precision that the network is trained in.
  Precision precision() const { return precision_; }
  const AdamWOptions& optimiser_options() const { return adamw_.options(); }

  // Returns the Euclidean norm of the engine's gradient.
  double Norm();
  // Updates the weights by the engine's gradient of norm `norm`, after `steps_done` steps.
  absl::Status Update(int64_t steps_done, double norm);
  // Returns the weights that are validated and published: the average if one is kept, otherwise the
  // current weights.
  std::span<const float> ServedWeights() const;
  // Calls `work` while the engine has the served weights. Returns the first error, of `work` or of
  // the engine's change of weights.
  absl::Status WithServedWeights(absl::FunctionRef<absl::Status()> work);

  // Returns the optimiser's state in host memory, which captured steps continue and fill.
  CapturedStepsState CapturedState();
  // Sets the number of updates that captured steps have made.
  void set_updates(int64_t updates) { adamw_.set_steps(updates); }

  // Returns the state for checkpoints, like Learner::ScalarState. A checkpoint may lack the scalars
  // of an engine.
  absl::StatusOr<std::map<std::string, double>> ScalarState() const;
  std::map<std::string, std::span<float>> TensorState();
  absl::Status Restore(const std::map<std::string, double>& scalars);
  // Whether scalar `name` belongs to an engine.
  static bool IsEngineScalar(const std::string& name);

 private:
  TrainedNetwork(RunContext& context, std::unique_ptr<PolicyEngine> engine);

  RunContext& context_;
  Precision precision_ = Precision::kFp32;
  std::unique_ptr<PolicyEngine> engine_;
  AdamW adamw_;
  std::optional<WeightAverage> average_;  // set with training.weight_average
};

}  // namespace vrp
