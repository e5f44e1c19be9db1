// Validates dispatch models: simulates days, and chooses the shift of their prizes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/learning/features.h"
#include "core/dispatch/learning/network_prizes.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/train/dispatch/training_sites.h"
#include "core/train/run/run_context.h"
#include "core/train/run/validation_set.h"

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
  ShiftValidator(RunContext& context, Days days) : context_(context), days_(std::move(days)) {}

  // Simulates all days with each shift. The result does not depend on the number of threads if
  // decisions are limited by iterations. Returns kCancelled if the run is stopped.
  absl::StatusOr<ShiftScore> Evaluate(const std::shared_ptr<const PrizeNetwork>& network) const;
  int64_t size() const { return std::ssize(days_.days); }
  double reference() const;  // mean cost of the days in hindsight
  std::string reference_name() const;

 private:
  // Returns the cost of a day under the policy of a network.
  absl::StatusOr<double> Simulate(ShiftedNetwork network, size_t day) const;

  RunContext& context_;
  const Days days_;
};

}  // namespace vrp
