// One run of a training job of a dispatch model: the loop over steps and epochs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/train/dispatch/dispatch_publisher.h"
#include "core/train/dispatch/prize_learner.h"
#include "core/train/dispatch/shift_validator.h"
#include "core/train/dispatch/training_data.h"
#include "core/train/run/checkpoint_keeper.h"
#include "core/train/run/epoch_pace.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_checkpoints.h"
#include "core/train/run/trainer.h"

namespace vrp {

// A run that labels days, then takes steps until the configuration or the request ends it. It
// validates after each epoch, writes checkpoints on the way and a model at the end.
class DispatchRun {
 public:
  // Makes a run that began at `started`. The configuration's batches_per_epoch must be the number
  // of steps in which an epoch passes over CountSamples(data.days). `request`, `stop` and
  // `observer` must outlive it.
  DispatchRun(const TrainingRequest& request, const StopCondition& stop, TrainingObserver& observer,
              absl::Time started);

  // Trains on the days of `data`. May be called only once.
  absl::StatusOr<TrainingResult> Run(TrainingData data);
  // Returns the totals of the run so far.
  TrainingTotals Totals();

 private:
  // Makes labels, features and the parts below, and resumes from the newest checkpoint.
  absl::Status Prepare(TrainingData data);
  // Takes steps until the run ends. Returns the reason.
  absl::StatusOr<TrainingEnd> Loop();
  // Returns the parts of the state that checkpoints hold.
  StateCheckpoints::State SavedState();
  absl::Status TakeStep();
  absl::Status EndEpoch();
  absl::Status Validate();
  // Returns the reason why there is no further step, or kUnknown if there is one.
  TrainingEnd NextEnd() const;
  // Makes the last weights a candidate for publication, unless an epoch's end already did.
  absl::Status ValidateLastStep(TrainingEnd end);
  void Report(const PrizeStep& step, double seconds);
  void FillProgress();

  const absl::Time started_;
  RunContext context_;
  RunPosition position_;
  std::unique_ptr<PrizeLearner> learner_;
  std::unique_ptr<ShiftValidator> validator_;
  std::unique_ptr<StateCheckpoints> checkpoints_;
  std::unique_ptr<DispatchPublisher> publisher_;
  EpochPace pace_;
  TrainingProgress progress_;
  TrainingTotals totals_;
  double agreement_ = 0;  // sum over the steps of this epoch
  int64_t steps_ = 0;     // number of these steps
};

}  // namespace vrp
