// One run of a training job of a habit model that is a transformer: the loop over steps and epochs.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/habits/history.h"
#include "core/train/habits/distance_reference.h"
#include "core/train/habits/sequence_data.h"
#include "core/train/habits/sequence_learner.h"
#include "core/train/run/best_weights.h"
#include "core/train/run/checkpoint_keeper.h"
#include "core/train/run/epoch_pace.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_checkpoints.h"
#include "core/train/run/trainer.h"

namespace vrp {

// A run that takes steps until the configuration or the request ends it. It validates after each
// epoch, writes checkpoints on the way and a model at the end. Costs are means of
// -log(probability of the next stop), in nats.
class SequenceRun {
 public:
  // Makes a run that began at `started`. The configuration's batches_per_epoch must be
  // data.StepsPerEpoch(). `request`, `stop`, `observer`, `history` and `data`, which is of the same
  // history, must outlive it.
  SequenceRun(const TrainingRequest& request, const StopCondition& stop, TrainingObserver& observer,
              const RouteHistory& history, const SequenceData& data, absl::Time started);

  // May be called only once.
  absl::StatusOr<TrainingResult> Run();
  // Returns the totals of the run so far.
  TrainingTotals Totals();

 private:
  absl::Status Prepare();
  void LogBanner();
  StateCheckpoints::State SavedState();
  // Takes steps until the run ends. Returns the reason.
  absl::StatusOr<TrainingEnd> Loop();
  absl::Status TakeStep();
  absl::Status EndEpoch();
  absl::Status Validate();
  // Makes the last weights a candidate for publication, unless an epoch's end already did.
  absl::Status ValidateLastStep(TrainingEnd end);
  bool Stalled() const;
  void Report(const SequenceStep& step, double seconds);
  void FillProgress();
  ValidationScore Score() const;

  absl::StatusOr<TrainingResult> Publish(TrainingEnd end);
  // Serves the requests for live models after a step. Returns the error of a validation.
  absl::Status ServeLive();
  TrainingResult ResultOf(int64_t step, const ValidationScore& score, PublishReason reason) const;
  absl::Status WriteModel(const std::string& directory, const std::string& job_name,
                          std::span<const float> parameters, const TrainingResult& result);

  const absl::Time started_;
  RunContext context_;
  const RouteHistory& history_;
  const SequenceData& data_;
  RunPosition position_;
  DistanceReference reference_;
  std::unique_ptr<SequenceLearner> learner_;
  BestWeights best_;
  std::unique_ptr<StateCheckpoints> checkpoints_;
  double cost_ = std::numeric_limits<double>::quiet_NaN();  // of the last validation
  double accuracy_ = 0;
  int64_t validated_step_ = -1;
  EpochPace pace_;
  TrainingProgress progress_;
  TrainingTotals totals_;
  double loss_ = 0;    // sum over the steps of this epoch
  int64_t steps_ = 0;  // number of these steps
};

}  // namespace vrp
