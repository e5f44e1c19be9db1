// One run of a training job: the loop over steps and epochs. Needs no torch.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/exchange/link_check.h"
#include "core/train/data/batch_source.h"
#include "core/train/learners/learner.h"
#include "core/train/run/checkpoint_keeper.h"
#include "core/train/run/publisher.h"
#include "core/train/run/reporter.h"
#include "core/train/run/run_context.h"
#include "core/train/run/step_source.h"
#include "core/train/run/trained_network.h"
#include "core/train/run/trainer.h"
#include "core/train/run/validator.h"

namespace vrp {

// A run that takes steps until the configuration or the request ends it. It validates after each
// epoch, writes checkpoints on the way and a model at the end.
class TrainingRun {
 public:
  // Makes a run. All arguments must outlive it.
  TrainingRun(const TrainingRequest& request, const StopCondition& stop,
              TrainingObserver& observer);

  // Trains the engine that `factory` makes. May be called only once.
  absl::StatusOr<TrainingResult> Run(const EngineFactory& factory);

 private:
  absl::StatusOr<TrainingResult> RunToModel(const EngineFactory& factory);
  // Makes the parts below and resumes from the newest checkpoint.
  absl::Status Prepare(const EngineFactory& factory);
  // Makes the parts from `validator_` on. `baseline` may be null.
  absl::Status MakeParts(ValidationSet set, std::unique_ptr<PolicyEngine> baseline);
  // Takes steps until the run ends. Returns the reason.
  absl::StatusOr<TrainingEnd> Loop();
  absl::Status EndEpoch();
  // The next action of all ranks, which rank 0 chooses.
  struct Order {
    TrainingEnd end = TrainingEnd::kUnknown;  // kUnknown: a further step
    bool live = false;                        // whether to serve live models after it
  };
  // Returns the next order, or the error of a stopped run or another rank.
  absl::StatusOr<Order> NextOrder();
  // Takes a step, ends its epoch and saves it if that is due, and serves live models.
  absl::Status TakeStep(bool live);
  absl::Status ServeLive();
  // Logs, once the time of a step is known, whether the network between the ranks slows them down.
  void ReportLink();
  // Waits for all steps and returns the score of the current weights.
  absl::StatusOr<ValidationScore> Evaluate();
  absl::Status Validate();
  // Makes the last weights a candidate for publication, unless an epoch's end already did.
  absl::Status ValidateLastStep(TrainingEnd end);

  const absl::Time started_;
  RunContext context_;
  RunPosition position_;
  LinkFigures link_;  // measured with several ranks
  std::unique_ptr<TrainedNetwork> network_;
  std::unique_ptr<BatchSource> batches_;
  std::unique_ptr<Validator> validator_;
  std::unique_ptr<Reporter> reporter_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<StepSource> steps_;
  std::unique_ptr<CheckpointKeeper> checkpoints_;
  std::unique_ptr<Publisher> publisher_;
};

}  // namespace vrp
