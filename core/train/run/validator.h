// A validator that scores the weights of a run and remembers the best ones. Needs no torch.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/train/run/best_weights.h"
#include "core/train/run/run_context.h"
#include "core/train/run/trained_network.h"
#include "core/train/run/validation_set.h"

namespace vrp {

// A scorer of a network's served weights. Not thread-safe.
class Validator {
 public:
  // Makes a validator. `context` and `network` must outlive it.
  Validator(RunContext& context, TrainedNetwork& network, ValidationSet set);

  // Returns the score of the network's served weights, which are those after step `step`. If the
  // last score belongs to this step, returns that score.
  absl::StatusOr<ValidationScore> Evaluate(int64_t step) const;
  // Evaluates the weights after step `step` and keeps the score as the last one.
  absl::Status Validate(int64_t step);
  // Keeps the last validation as the best one if its cost is lower. `epochs_ended`: number of whole
  // epochs so far.
  void UpdateBest(int64_t epochs_ended);

  // Returns the last score; NaN before the first.
  const ValidationScore& score() const { return score_; }
  // Whether the last validation of this run was of the weights after step `step`.
  bool Validated(int64_t step) const { return validated_step_ == step; }
  // Whether training.patience epochs passed without a better validation. False without a patience.
  bool Stalled(int64_t epochs_ended) const;
  const BestWeights& best() const { return best_; }
  BestWeights& best() { return best_; }
  const ValidationSet& set() const { return set_; }

  // Returns the state for checkpoints, like Learner::ScalarState.
  std::map<std::string, double> ScalarState() const;
  void Restore(const std::map<std::string, double>& scalars);

 private:
  static constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

  RunContext& context_;
  TrainedNetwork& network_;
  const ValidationSet set_;
  ValidationScore score_ = {.cost = kNoScore, .gap = kNoScore, .accuracy = kNoScore};
  int64_t validated_step_ = -1;
  BestWeights best_;
};

}  // namespace vrp
