// Ends a run whose loss stays infinite or undefined.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Counts the steps in a row that had no finite loss or gradient.
class DivergenceGuard {
 public:
  // `observer` outlives it and gets a log line for each skipped step.
  explicit DivergenceGuard(TrainingObserver& observer) : observer_(observer) {}

  // Counts a step that was applied.
  void Applied() { skipped_ = overflows_ = 0; }
  // Counts the skipped step `step`. `overflowed`: fp16 overflowed, which the scale of the losses
  // will cure. kInternal: too many in a row; `reason` says what they computed.
  absl::Status Skipped(int64_t step, const std::string& reason, bool overflowed);

  // The state for checkpoints, as of a learner (Learner::ScalarState).
  std::map<std::string, double> ScalarState() const;
  void Restore(const std::map<std::string, double>& scalars);

 private:
  TrainingObserver& observer_;
  int64_t skipped_ = 0;    // in a row
  int64_t overflows_ = 0;  // in a row
};

}  // namespace vrp
