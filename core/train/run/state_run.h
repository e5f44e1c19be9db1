// One run of a training of a model that plans no routes: the loop over steps and epochs.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/model/weights/flat_parameters.h"
#include "core/train/run/best_weights.h"
#include "core/train/run/checkpoint_keeper.h"
#include "core/train/run/epoch_pace.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_checkpoints.h"
#include "core/train/run/trainer.h"

namespace vrp {

// The figures of one step.
struct StateStep {
  double loss = 0;
  double cost = 0;                                             // as in TrainingProgress::train_cost
  double accuracy = std::numeric_limits<double>::quiet_NaN();  // as in TrainingProgress
  double gradient_norm = 0;                                    // before clipping
  int64_t instances = 0;
};

// A model under training, as a StateRun trains it. Not thread-safe.
class StateLearner {
 public:
  virtual ~StateLearner() = default;
  // Takes the step number `step` (from 0).
  virtual absl::StatusOr<StateStep> Step(int64_t step) = 0;
  // Scores the current weights. May set frozen parameters.
  virtual absl::StatusOr<ValidationScore> Validate() = 0;
  // Returns all parameters in the form in which they are published.
  virtual FlatParameters& parameters() = 0;
  virtual int64_t InstancesSeen(int64_t steps) const = 0;
  // The reference of the score's gap: its cost on the validation and its name.
  virtual double reference() const = 0;
  virtual std::string reference_name() const = 0;
  // Returns the score of the last validation, for logs.
  virtual std::string ScoreText(const ValidationScore& score) const = 0;
  // Returns what logs say of the steps of an epoch with the mean loss `loss`.
  virtual std::string StepsText(double loss) const = 0;
  // Writes a model with other parameters of this form.
  virtual absl::Status WriteModel(const std::string& directory, const std::string& job_name,
                                  std::span<const float> parameters,
                                  const TrainingResult& result) const = 0;
  // The state for checkpoints: numbers, tensors, and integers of any number. Restore takes over the
  // numbers and integers of a checkpoint, after its tensors. Returns kDataLoss if they are
  // malformed.
  virtual std::map<std::string, double> ScalarState() const = 0;
  virtual std::map<std::string, std::span<float>> TensorState() = 0;
  virtual std::vector<int32_t> IntegerState() const { return {}; }
  virtual absl::Status Restore(const std::map<std::string, double>& scalars,
                               std::span<const int32_t> integers) = 0;
};

// A run that takes steps until the configuration or the request ends it. It validates after each
// epoch, writes checkpoints on the way and a model at the end. Used by the training thread.
class StateRun {
 public:
  // Makes a run that began at `started`. `context` and `learner` must outlive it.
  StateRun(RunContext& context, StateLearner& learner, absl::Time started);

  // Resumes from the newest checkpoint and trains. May be called only once. Returns the errors of
  // the learner and of StateCheckpoints, and kCancelled if the run is stopped.
  absl::StatusOr<TrainingResult> Run();
  // Returns the totals of the run so far.
  TrainingTotals Totals();

 private:
  StateCheckpoints::State SavedState();
  // Takes steps until the run ends. Returns the reason.
  absl::StatusOr<TrainingEnd> Loop();
  absl::Status TakeStep();
  absl::Status EndEpoch();
  absl::Status Validate();
  // Makes the last weights of a run that ended within an epoch a candidate for publication.
  absl::Status ValidateLastStep(TrainingEnd end);
  bool Stalled() const;
  void Report(const StateStep& step, double seconds);
  void FillProgress();
  absl::StatusOr<TrainingResult> Publish(TrainingEnd end);
  // Serves the requests for live models after a step. Returns the error of a validation.
  absl::Status ServeLive();
  TrainingResult ResultOf(int64_t step, const ValidationScore& score, PublishReason reason) const;
  std::span<const float> Parameters() const;

  RunContext& context_;
  StateLearner& learner_;
  const absl::Time started_;
  RunPosition position_;
  BestWeights best_;
  StateCheckpoints checkpoints_;
  ValidationScore score_;  // of the last validation; NaN before the first
  int64_t validated_step_ = -1;
  EpochPace pace_;
  TrainingProgress progress_;
  TrainingTotals totals_;
  double loss_ = 0;    // sum over the steps of this epoch
  int64_t steps_ = 0;  // number of these steps
};

// Runs the training of a learner that was prepared, or returns the error of its preparation.
// Reports the end to the observer of `context` in both cases. Arguments as of StateRun.
template <typename Learner>
absl::StatusOr<TrainingResult> RunPrepared(RunContext& context,
                                           const absl::StatusOr<std::unique_ptr<Learner>>& learner,
                                           absl::Time started) {
  if (!learner.ok()) {
    context.observer.OnEnd({.run_phases = context.clock.Read()});
    return learner.status();
  }
  StateRun run(context, **learner, started);
  absl::StatusOr<TrainingResult> result = run.Run();
  context.observer.OnEnd(run.Totals());
  return result;
}

}  // namespace vrp
