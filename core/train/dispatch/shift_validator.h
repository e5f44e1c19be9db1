// Validates dispatch models: simulates days, and chooses the shift of their prizes.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/learning/features.h"
#include "core/dispatch/learning/network_prizes.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/train/dispatch/training_sites.h"
#include "core/train/run/best_weights.h"
#include "core/train/run/run_context.h"

namespace vrp {

// The score of a network with the best of several shifts.
struct ShiftScore {
  ValidationScore score;
  double shift = 0;
};

// A scorer of networks by simulated days. Labels are plans that know the future, and so wait more
// often than pays for a network that does not. Therefore each validation tries the shifts of
// validation.shifts on the output, and keeps the one with the lowest mean cost. Not thread-safe.
class ShiftValidator {
 public:
  // The sites, the makers of their features, the days and the costs of these in hindsight.
  struct Days {
    std::vector<TrainingSite> sites = {};
    std::vector<std::shared_ptr<const FeatureMaker>> makers = {};  // by TrainingDay::maker
    std::vector<TrainingDay> days = {};
    std::vector<double> references = {};  // by day
  };
  // Makes a validator. `context` must outlive it.
  ShiftValidator(RunContext& context, Days days);

  // Simulates all days with each shift. The result does not depend on the number of threads if
  // decisions are limited by iterations. Returns kCancelled if the run is stopped.
  absl::StatusOr<ShiftScore> Evaluate(const std::shared_ptr<const PrizeNetwork>& network) const;
  // Evaluates the weights after step `step` and keeps the score as the last one.
  absl::Status Validate(const std::shared_ptr<const PrizeNetwork>& network, int64_t step);
  // Keeps the last validation, of `parameters` with its shift, as the best one if its cost is
  // lower. `epochs_ended`: number of whole epochs so far.
  void UpdateBest(int64_t epochs_ended, std::span<const float> parameters);

  int64_t size() const { return std::ssize(days_.days); }
  double reference() const;  // mean cost of the days in hindsight
  std::string reference_name() const;
  const ShiftScore& score() const { return score_; }  // the last one; NaN before the first
  // Whether the last validation of this run was of the weights after step `step`.
  bool Validated(int64_t step) const { return validated_step_ == step; }
  // Whether training.patience epochs passed without a better validation. False without a patience.
  bool Stalled(int64_t epochs_ended) const;
  const BestWeights& best() const { return best_; }
  BestWeights& best() { return best_; }
  // Returns the score as logs show it.
  std::string ScoreText() const;

  // Returns the state for checkpoints, without that of best().
  std::map<std::string, double> ScalarState() const;
  void Restore(const std::map<std::string, double>& scalars);

 private:
  static constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

  // Returns the cost of a day under the policy of a network.
  absl::StatusOr<double> Simulate(ShiftedNetwork network, size_t day) const;

  RunContext& context_;
  const Days days_;
  ShiftScore score_ = {.score = {.cost = kNoScore, .gap = kNoScore, .accuracy = kNoScore}};
  int64_t validated_step_ = -1;
  BestWeights best_;
};

}  // namespace vrp
