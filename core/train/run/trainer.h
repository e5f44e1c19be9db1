// Trains networks for jobs: reports events to an observer and writes weights to disk. Needs no
// torch.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/device/device.h"
#include "core/exchange/gradient_exchange.h"
#include "core/model/policy/engine_options.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/config/data_files.h"
#include "core/train/config/training_config.h"
#include "core/train/run/live_models.h"
#include "core/train/run/run_clock.h"
#include "core/train/run/training_result.h"

namespace vrp {

// The work of a run since it began or was resumed. The sums only grow, so that a dropped report
// loses nothing. An interval is the difference of two reports.
struct TrainingTotals {
  int64_t steps = 0;
  int64_t skipped_steps = 0;     // part of steps: those without an update
  int64_t instances = 0;         // number of instances trained on
  PhaseSeconds phase_seconds{};  // see Phase
  double seconds = 0;            // wall time of the steps, without validation
  int64_t copies = 0;            // number of copies between host and device
  int64_t copied_bytes = 0;
  int64_t matrix_bytes = 0;    // part of copied_bytes: the distance matrices
  RunPhaseTimes run_phases{};  // of the whole run, by RunPhase

  // Returns the wall time of the run so far; 0 in stored reports of steps and of earlier versions.
  double WallSeconds() const {
    double sum = 0;
    for (const RunPhaseTime& time : run_phases) sum += time.wall_seconds;
    return sum;
  }
};

// A report after a step or an epoch. Reports of steps may be dropped before they reach the user.
struct TrainingProgress {
  int64_t epoch = 0;  // from 1
  int64_t epochs = 0;
  int64_t step = 0;  // from 1, over all epochs
  int64_t steps = 0;
  double loss = 0;
  double train_cost = 0;            // mean cost of the last step's sampled (or labelled) tours
  double validation_cost = 0;       // mean cost of greedy plans; NaN before the first validation
  double validation_reference = 0;  // mean cost of `reference` on the same set; NaN: none
  // Mean gap to `reference`. NaN before the first validation, or without references.
  double validation_gap = 0;
  double accuracy = 0;  // share of label choices ranked first; NaN without labels
  // The same share for plans of `validation.reference: search`. NaN unless training is supervised.
  double validation_accuracy = 0;
  double learning_rate = 0;
  double gradient_norm = 0;         // norm before clipping
  double pass_difference = 0;       // largest |second pass - rollout| of log-likelihoods per choice
  double instances_per_second = 0;  // rate of the last step
  // Mean wall time of the epoch's steps so far, including waiting for data, and that of the last
  // whole epoch, including its validation. NaN: not known yet.
  double seconds_per_step = std::numeric_limits<double>::quiet_NaN();
  double seconds_per_epoch = std::numeric_limits<double>::quiet_NaN();
  int64_t instances_seen = 0;  // since the first step of the job, including interrupted runs
  TrainingTotals totals = {};
  double matrix_bytes_per_step = 0;  // totals.matrix_bytes / totals.steps
  bool end_of_epoch = false;         // whether this is a report after an epoch's validation
  std::string reference = {};        // reference of the validation's gaps: "nearest neighbour"
  // State of the training run's GPU. The trainer's caller sets it.
  std::optional<double> device_utilization = {};  // share of the last sample period with a kernel
  std::optional<int64_t> device_memory_used_bytes = {};  // used by all programs
};

// A listener. The training thread calls it in order. It must not block for long.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void OnLog(std::string_view line) = 0;  // the banner and notes
  virtual void OnProgress(const TrainingProgress& progress) = 0;
  // Called once a checkpoint is durable; training would resume from `step`.
  virtual void OnCheckpoint(int64_t step) = 0;
  // Called when a phase begins, which ends the previous one. Phases are "preparation", a piece of
  // the "references" or "labels", "resumption", "training step", "validation", "checkpoint" and
  // "publication".
  virtual void OnPhase(std::string_view) {}
  // Called when the run has ended, successfully or with an error, with the totals of the whole run.
  // Not called if std::bad_alloc ends the run.
  virtual void OnEnd(const TrainingTotals&) {}
};

// A request for one run.
struct TrainingRequest {
  TrainingConfig config;
  DeviceId device;
  int32_t threads = 1;
  std::string job_name;              // name of the job in the model's card
  std::string checkpoint_directory;  // existing folder; the run resumes from a checkpoint in it
  std::string model_directory;       // gets weights and card if training succeeds
  // The folder of labels, shared with other runs. Empty: a folder in checkpoint_directory.
  std::string cache_directory = {};
  // Folders in which `training.initial_model: models/NAME/versions/N` is found, as NAME/N.
  std::vector<std::string> models_directories = {};
  // The paths of the datasets that the configuration names.
  DatasetPaths datasets = {};
  // Largest number of epochs; 0: config.epochs. The run then ends with a model, as after all
  // epochs.
  int64_t epoch_limit = 0;
  // Longest time since the call of Train. The run then completes the current step, validates once
  // more, and ends with a model. A run takes at least one step.
  absl::Duration time_limit = absl::InfiniteDuration();
  // Requests to serve after each step, with LiveJobName in the card. Optional.
  LiveModels* live = nullptr;
  // A flag that ends the run early. If it is cancelled while `stop` is not, the run ends after its
  // current step as at its time limit (TrainingEnd::kStopped). Before the first step, Train returns
  // kCancelled. Cancelling `stop` must also cancel this flag (CancelFlag's `parent`). Optional.
  std::shared_ptr<const CancelFlag> end_early = nullptr;
  // The connection to the other processes that train the same network, each by a call of Train with
  // the same configuration. Rank 0 alone reads and writes checkpoints, writes models and decides
  // when to stop; the others need no `live`, `end_early`, `model_directory` and initial model.
  // Null: no other processes.
  GradientExchange* exchange = nullptr;
};

// A trainer of networks, each on one device.
class Trainer {
 public:
  virtual ~Trainer() = default;
  // Trains to the end. If `stop` is cancelled, writes a checkpoint of the last step and returns
  // kCancelled. Resumes an interrupted run from ResumeStep. Blocks. Thread-safe, but only one call
  // at a time is allowed for each GPU.
  virtual absl::StatusOr<TrainingResult> Train(const TrainingRequest& request,
                                               const StopCondition& stop,
                                               TrainingObserver& observer) = 0;
  // Returns the errors that Train would find in the files and the model that `request` names. They
  // are kInvalidArgument, one per line, as `KEY: ...`. Reads at most 64 MiB of instances, labels
  // and validation, and all weights of training.initial_model. Opens further files, but does not
  // read them. Skips datasets, which were checked at their upload. Returns kResourceExhausted if
  // memory runs out. Thread-safe.
  virtual absl::Status CheckInputs(const TrainingRequest& request) const = 0;
  // Returns the step of the newest valid checkpoint in `checkpoint_directory`, or 0 without one.
  // Returns kFailedPrecondition if a newer program wrote the newest one.
  virtual absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) = 0;
};

// A function that makes the network to train, with initial weights by config.seed. Tests use a
// fake.
using EngineFactory = std::function<absl::StatusOr<std::unique_ptr<PolicyEngine>>(
    const TrainingConfig& config, DeviceId device, const EngineOptions& options)>;
// Makes a trainer that trains the engines of `factory`. It refuses models that have none:
// those of dispatch and of habits.
std::unique_ptr<Trainer> MakeTrainerOn(EngineFactory factory);

}  // namespace vrp
