// The network of a dispatch model under training.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/model/dispatch/prize_network_options.h"
#include "core/model/weights/flat_parameters.h"
#include "core/train/dispatch/prize_samples.h"
#include "core/train/optimiser/adamw.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_run.h"

namespace vrp {

// The network, its optimiser and its samples. Not thread-safe.
class PrizeLearner {
 public:
  // Makes a network with random weights by training.seed, normalised to the samples. `context` must
  // outlive the learner. Returns the errors of MakePrizeNetwork.
  static absl::StatusOr<std::unique_ptr<PrizeLearner>> Create(RunContext& context,
                                                              std::vector<TrainingSample> samples);

  // Takes the step number `step` (from 0): the gradient of one batch, and an update. The accuracy
  // is the agreement of PrizeGradient, and the cost the mean of the labels'. Returns kInternal if
  // the gradient is not finite, and the errors of ComputePrizeGradient.
  absl::StatusOr<StateStep> Step(int64_t step);

  // Returns the number of samples of the first `steps` steps.
  int64_t SamplesSeen(int64_t steps) const;

  const PrizeNetworkOptions& options() const { return options_; }
  // Returns the network without its shift. Steps change its weights.
  std::shared_ptr<const PrizeNetwork> network() const { return network_; }
  // Returns all parameters, in the form of DispatchLayout.
  FlatParameters& parameters() { return parameters_; }
  const FlatParameters& parameters() const { return parameters_; }
  void SetShift(double shift) { parameters_.values().back() = static_cast<float>(shift); }

  // Returns the state for checkpoints: numbers, tensors of float32, and the plans from which the
  // searches of the next steps start, as integers.
  std::map<std::string, double> ScalarState() const;
  std::map<std::string, std::span<float>> TensorState();
  std::vector<int32_t> PlanState() const;
  // Restores the numbers and plans of a checkpoint, after its tensors. Returns kDataLoss if the
  // plans are malformed.
  absl::Status Restore(const std::map<std::string, double>& scalars,
                       std::span<const int32_t> plans);

 private:
  PrizeLearner(RunContext& context, std::vector<TrainingSample> samples,
               PrizeNetworkOptions options, std::unique_ptr<PrizeNetwork> network);

  // Returns the samples of a step, in an order that training.seed and the epoch determine.
  std::vector<TrainingSample*> BatchOf(int64_t step);

  RunContext& context_;
  std::vector<TrainingSample> samples_;
  const PrizeNetworkOptions options_;
  const std::shared_ptr<PrizeNetwork> network_;
  FlatParameters parameters_;
  AdamW adamw_;
  int64_t ordered_epoch_ = -1;  // the epoch of order_
  std::vector<size_t> order_;
};

}  // namespace vrp
