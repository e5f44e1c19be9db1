// A guard that ends a run whose loss or gradient stays infinite or undefined.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "core/train/run/trainer.h"

namespace vrp {

// A counter of consecutive steps that had no finite loss or gradient.
class DivergenceGuard {
 public:
  // Makes a guard. `observer` gets a log line for each skipped step, and must outlive the guard.
  explicit DivergenceGuard(TrainingObserver& observer) : observer_(observer) {}

  // Counts a step that was applied.
  void Applied() { skipped_ = overflows_ = 0; }
  // Counts the skipped step `step`. `overflowed`: whether fp16 overflowed, which a smaller scale of
  // the losses will cure. Returns kInternal if too many steps in a row were skipped; `reason` says
  // what this step computed.
  absl::Status Skipped(int64_t step, const std::string& reason, bool overflowed);

  // Returns the state for checkpoints, like Learner::ScalarState. Omits the number of overflows,
  // which is 0 after a resumption.
  std::map<std::string, double> ScalarState() const;
  void Restore(const std::map<std::string, double>& scalars);

 private:
  TrainingObserver& observer_;
  int64_t skipped_ = 0;    // number since the last applied step, without overflows
  int64_t overflows_ = 0;  // number since the last applied step
};

}  // namespace vrp
