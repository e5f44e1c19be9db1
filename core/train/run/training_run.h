// One run of a training job: the loop over steps and epochs, checkpoints, the model at the end. No
// torch here.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/cpu_pool.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/data/batch_loader.h"
#include "core/train/data/batch_source.h"
#include "core/train/learners/learner.h"
#include "core/train/run/adamw.h"
#include "core/train/run/checkpoint.h"
#include "core/train/run/epoch_pace.h"
#include "core/train/run/run_clock.h"
#include "core/train/run/trainer.h"
#include "core/train/run/validation.h"
#include "core/train/run/weight_average.h"

namespace vrp {

class TrainingRun {
 public:
  // All outlive it.
  TrainingRun(const TrainingRequest& request, const StopCondition& stop, TrainingObserver& observer,
              const EngineFactory& factory);

  absl::StatusOr<TrainingResult> Run();

 private:
  absl::StatusOr<TrainingResult> RunToModel();
  absl::Status Prepare();
  absl::Status MakeEngines(std::unique_ptr<PolicyEngine>& baseline);
  absl::Status MakeSource(std::vector<Instance>& own);
  std::string CacheFolder() const;
  // For sets that are made in this phase.
  LabelSurroundings LabelsAs(std::string phase);
  void Banner();

  absl::Status Loop();
  absl::Status OneStep();
  // That of the next step, by the loader: whole where the device takes the steps.
  absl::StatusOr<TrainingBatch> NextBatch();
  // Where steps run on the device by themselves (training_device.cc), one is begun, and what
  // earlier ones came to is told.
  absl::Status ChooseSteps();
  // By whole_, in as many parts as memory asks for, from the host's state on.
  absl::Status MakeSteps();
  // False: the host's turn from here on.
  absl::StatusOr<bool> DeviceStep();
  // `batch`: null where the device draws its own. In smaller parts where its memory does not
  // suffice.
  absl::StatusOr<bool> BeginOnDevice(const TrainingBatch* batch);
  void LeaveToHost(const absl::Status& why);
  absl::Status TellWholeSteps();
  // Waits for the device's steps; host and learner then stand where they ended.
  absl::Status Settle();
  // The spans of the host's memory that the device's steps go on with and fill.
  WholeStepsState HostState();
  // The gradient of the next step, in smaller parts where the device's memory does not suffice.
  absl::StatusOr<StepOutcome> Gradient(const TrainingBatch& batch);
  // After a step that found no memory: whether there are fewer instances at once to try it with,
  // which the log is told.
  bool TakeFewerAtOnce();
  absl::Status Apply(double norm);
  absl::Status EndEpoch();
  // Whether the weights as they are were just validated, and are worth a checkpoint for it.
  bool IsOneOfTheBest() const;
  // Whether the run was asked to end with what it has.
  bool EndsEarly() const;
  // Why there is no further step; kUnknown: there is one.
  TrainingEnd WhyEnded() const;
  // Of the weights that would be published now; nothing of the run changes.
  absl::StatusOr<ValidationScore> Validate();
  // Makes the last weights a candidate for publication where no epoch's end did.
  absl::Status ValidateLastStep();
  void TellEnd();
  // Compares the last validation, which `score_` has, with the best one before.
  void RememberBest();
  // Those that are validated and published: the average where there is one.
  std::span<const float> ServedWeights() const;
  bool Stalled() const;
  // What step `step`, whose update was made or left out, came to.
  struct StepEnd {
    int64_t step = 0;
    int64_t instances = 0;
    double gradient_norm = 0;
    double seconds = 0;
    bool sound = false;
  };
  absl::Status Conclude(const StepOutcome& outcome, const StepEnd& end);
  absl::Status CountBadStep(int64_t step, const std::string& why, bool overflowed);
  void Count(const StepOutcome& outcome, int64_t instances);
  void Report(const StepOutcome& outcome, const StepEnd& end);
  // Fills what the last validation and the clocks say into progress_.
  void FillProgress();
  // Adds the thread time since `start`, by clock_.ThreadSeconds().
  void AddPhase(Phase phase, double start);

  absl::Status Resume();
  absl::Status Fill(const Checkpoint& checkpoint, const std::string& where);
  absl::Status Save();
  absl::StatusOr<std::map<std::string, double>> Numbers() const;
  absl::Status TakeNumbers(const std::map<std::string, double>& numbers);
  // With those of the best weights, as large as the others, where `best` says so.
  std::map<std::string, std::span<float>> Spans(bool best);

  absl::StatusOr<TrainingResult> Publish();
  // Which weights are published, and why.
  TrainingResult ChooseWeights() const;
  // The same in words.
  std::string ChoiceText(const TrainingResult& result) const;
  int64_t EpochOf(int64_t step) const { return (step - 1) / steps_per_epoch_ + 1; }
  // A network that cannot be validated ends the run, as after an epoch; one that cannot be written
  // is its reader's loss.
  absl::Status ServeLive();
  absl::StatusOr<TrainingResult> PublishLive(const std::string& directory,
                                             const ValidationScore& score) const;
  // Waits while the disk is full: steps of days are not lost to it. kCancelled: it was stopped
  // then.
  absl::Status WriteModelForSure(std::span<const float> weights, const TrainingResult& result);
  absl::Status WriteModel(const std::string& directory, const std::string& job_name,
                          std::span<const float> weights, const TrainingResult& result) const;

  const TrainingRequest& request_;
  const TrainingConfig& config_;
  const StopCondition& stop_;
  TrainingObserver& observer_;
  const EngineFactory& factory_;
  const int64_t steps_per_epoch_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  Precision precision_ = Precision::kFp32;  // what the device has of what was asked for

  CpuPool pool_;
  RunClock clock_;
  EpochPace pace_;
  std::unique_ptr<PolicyEngine> engine_;
  std::unique_ptr<BatchSource> source_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<AdamW> adamw_;
  std::optional<WeightAverage> average_;  // with training.weight_average
  std::unique_ptr<WholeSteps> device_;    // null: the host takes the steps
  WholeStepsRequest whole_;               // that it was made by
  ValidationSet validation_;
  std::unique_ptr<BatchLoader> loader_;  // from the first batch wanted on; uses source_: goes first

  int64_t step_ = 0;                        // whole steps done; the device's: begun
  int64_t settled_step_ = 0;                // of device_
  absl::Time told_ = absl::InfinitePast();  // when the last of its steps were
  int64_t epochs_ended_ = 0;
  int64_t instances_seen_ = 0;
  int64_t saved_step_ = -1;
  int64_t bad_steps_ = 0;        // in a row
  int64_t overflows_ = 0;        // in a row
  int32_t micro_batch_ = 0;      // instances at once that found memory; 0: all of a part
  ValidationScore score_;        // of the last validation; NaN before the first
  int64_t validated_step_ = -1;  // in this run: of the last validation
  double pass_difference_ = 0;   // the largest of the epoch
  double best_cost_;             // of the validations; NaN before the first
  double best_gap_;              // of the same validation
  int64_t best_epoch_ = 0;
  int64_t best_step_ = 0;
  std::vector<float> best_values_;  // of best_step_, with training.publish: best
  TrainingEnd end_ = TrainingEnd::kUnknown;
  TrainingProgress progress_;
  TrainingTotals totals_;
};

}  // namespace vrp
