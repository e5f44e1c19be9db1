// Counts a training run's work and reports it to the run's observer.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "core/train/learners/learner.h"
#include "core/train/run/divergence_guard.h"
#include "core/train/run/epoch_pace.h"
#include "core/train/run/run_context.h"
#include "core/train/run/trainer.h"
#include "core/train/run/validator.h"

namespace vrp {

// A step that has ended, with its update made or skipped.
struct EndedStep {
  int64_t step = 0;  // number of the step, from 1
  int64_t instances = 0;
  double gradient_norm = 0;  // norm before clipping
  double seconds = 0;        // wall time
  bool applied = false;      // whether the update was made
};

// The reporter of one run. Used only by the training thread.
class Reporter {
 public:
  // Makes a reporter. `context` and `validator` must outlive it.
  Reporter(RunContext& context, const Validator& validator);

  // Starts the clock of the run's first step. `whole_epoch`: whether that step is the first of its
  // epoch.
  void Start(bool whole_epoch) { pace_.Begin(whole_epoch); }
  // Adds the thread time since `start`, by RunClock::ThreadSeconds().
  void AddPhaseSince(Phase phase, double start);
  void AddPhase(Phase phase, double seconds);
  // Adds copies between the host and the device.
  void AddCopies(int64_t copies, int64_t bytes, int64_t matrix_bytes);
  // Counts a step, and reports it if its update was made. Returns kInternal if the training
  // diverged.
  absl::Status EndStep(const StepOutcome& outcome, const EndedStep& end);
  // Reports the end of epoch `epoch` (from 1), which was validated after step `step`.
  void EndEpoch(int64_t epoch, int64_t step);

  const TrainingTotals& totals() const { return totals_; }

  // Returns the state for checkpoints, like Learner::ScalarState.
  std::map<std::string, double> ScalarState() const;
  void Restore(const std::map<std::string, double>& scalars);

 private:
  void Count(const StepOutcome& outcome, int64_t instances);
  void Report(const StepOutcome& outcome, const EndedStep& end);
  // Fills progress_ with the last validation and the clocks.
  void FillProgress();
  std::string EpochText(int64_t epoch) const;

  RunContext& context_;
  const Validator& validator_;
  DivergenceGuard guard_;
  EpochPace pace_;
  int64_t instances_seen_ = 0;  // since the first step of the job, including interrupted runs
  double pass_difference_ = 0;  // largest StepOutcome::pass_difference of the current epoch
  TrainingProgress progress_;
  TrainingTotals totals_;
};

}  // namespace vrp
