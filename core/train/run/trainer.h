// Training as the jobs see it: a configuration in, events out, weights on disk. No torch here.
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
#include "core/device/executor.h"
#include "core/model/policy/engine_options.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/config/data_files.h"
#include "core/train/config/training_config.h"
#include "core/train/run/live_models.h"
#include "core/train/run/run_clock.h"
#include "core/train/run/training_result.h"

namespace vrp {

// What a run has done since it began or was resumed: sums that only grow, so that a report which is
// dropped on its way loses nothing. An interval is the difference of two reports.
struct TrainingTotals {
  int64_t steps = 0;
  int64_t skipped_steps = 0;     // of these: without a finite loss, left out
  int64_t instances = 0;         // trained on
  PhaseSeconds phase_seconds{};  // see Phase
  double seconds = 0;            // wall time of the steps, validation apart
  int64_t copies = 0;            // between host and device
  int64_t copied_bytes = 0;
  int64_t matrix_bytes = 0;    // of these, of distance matrices: 0 but for instances that have them
  RunPhaseTimes run_phases{};  // of the whole run, by RunPhase

  // Wall time of the run so far; 0 in reports of earlier versions.
  double WallSeconds() const {
    double sum = 0;
    for (const RunPhaseTime& time : run_phases) sum += time.wall_seconds;
    return sum;
  }
};

// After a step (throttled by whoever publishes it) or an epoch.
struct TrainingProgress {
  int64_t epoch = 0;  // from 1
  int64_t epochs = 0;
  int64_t step = 0;  // from 1, over all epochs
  int64_t steps = 0;
  double loss = 0;
  double train_cost = 0;            // mean cost of the sampled (or labelled) tours of the last step
  double validation_cost = 0;       // greedy, of the last validation; NaN before the first
  double validation_reference = 0;  // mean cost on the same set of `reference`
  double validation_gap = 0;       // mean of instances' gaps to it; NaN before the first validation
  double accuracy = 0;             // share of a label's choices that the network finds likeliest,
                                   // of the last step; NaN where there are no labels
  double validation_accuracy = 0;  // likewise against the plans of `validation.reference: search`
  double learning_rate = 0;
  double gradient_norm = 0;         // before clipping
  double pass_difference = 0;       // largest |second pass - rollout| of a log-likelihood, a choice
  double instances_per_second = 0;  // over the last step
  // Mean wall time of a step over the epoch's so far, waiting for data included, and of the last
  // whole epoch with all that belongs to it; NaN: not known yet.
  double seconds_per_step = std::numeric_limits<double>::quiet_NaN();
  double seconds_per_epoch = std::numeric_limits<double>::quiet_NaN();
  int64_t instances_seen = 0;  // since the first step, interruptions included
  TrainingTotals totals = {};
  double matrix_bytes_per_step = 0;  // totals.matrix_bytes / totals.steps
  bool end_of_epoch = false;
  std::string reference = {};  // what the validation compares with: "nearest neighbour"
  // Of the GPU that it runs on; not the trainer's to know, but of whoever wraps it.
  std::optional<double> device_utilization = {};  // share of the last second in which a kernel ran
  std::optional<int64_t> device_memory_used_bytes = {};  // by all programs
};

// Called from the training thread, in order. Must not block for long.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void OnLog(std::string_view line) = 0;  // the start-up banner, notes
  virtual void OnProgress(const TrainingProgress& progress) = 0;
  // A checkpoint is durable in the checkpoint folder; training would resume from `step`.
  virtual void OnCheckpoint(int64_t step) = 0;
  // What comes next: "preparation", a piece of the "references" or "labels", "resumption",
  // "training step", "validation", "checkpoint", "publication"; each ends when the next begins.
  virtual void OnPhase(std::string_view) {}
  // The run is over, well or not; `totals` are the whole run's.
  virtual void OnEnd(const TrainingTotals&) {}
};

struct TrainingRequest {
  TrainingConfig config;
  DeviceId device;
  int32_t threads = 1;
  std::string job_name;              // for the model's card
  std::string checkpoint_directory;  // exists; a checkpoint in it is resumed from
  std::string model_directory;       // weights and card are written there when training ends well
  // Where labels are kept, for other runs too; empty: beside the checkpoints, for this run.
  std::string cache_directory = {};
  // Where `training.initial_model: models/NAME/versions/N` is looked for, as NAME/N.
  std::vector<std::string> models_directories = {};
  // The paths of the datasets that the configuration names.
  DatasetPaths datasets = {};
  // Ends of their own kind, with a model as after all epochs. So many epochs; 0: config.epochs.
  int64_t epoch_limit = 0;
  // Since Train was called. The step that goes beyond it is finished, and the network validated
  // once more.
  absl::Duration time_limit = absl::InfiniteDuration();
  // Served after each step, with LiveJobName in the card; null: nobody asks.
  LiveModels* live = nullptr;
  // Once cancelled, while `stop` is not, the run ends after its current step as at its time limit
  // (TrainingEnd::kStopped); before its first step it returns kCancelled. Whatever cancels `stop`
  // must cancel this flag too (CancelFlag's `wider`). Null: never.
  std::shared_ptr<const CancelFlag> end_early = nullptr;
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  // Runs to the end, or until `stop`: then kCancelled, with a checkpoint of the last whole step.
  // Step from which it goes on after an earlier, interrupted run: see ResumeStep. Blocks; one call
  // at a time a device.
  virtual absl::StatusOr<TrainingResult> Train(const TrainingRequest& request,
                                               const StopCondition& stop,
                                               TrainingObserver& observer) = 0;
  // Returns the errors with which Train would find the files and the model that `request` names: a
  // line each, as `KEY: ...` (kInvalidArgument). Reads at most 64 MiB of instances, labels and
  // validation, and all weights of training.initial_model; files beyond that are opened alone.
  // kResourceExhausted: no memory for it. Thread-safe.
  virtual absl::Status CheckInputs(const TrainingRequest& request) const = 0;
  // The step of the newest usable checkpoint in `checkpoint_directory`; 0 without one.
  virtual absl::StatusOr<int64_t> ResumeStep(const std::string& checkpoint_directory) = 0;
};

// Trains on the engines of core/model/make_engine.h; `executors` as there.
std::unique_ptr<Trainer> MakeTrainer(DeviceExecutors* executors = nullptr);

// The network to train, with first weights by config.seed. A fake in tests.
using EngineFactory = std::function<absl::StatusOr<std::unique_ptr<PolicyEngine>>(
    const TrainingConfig& config, DeviceId device, const EngineOptions& options)>;
std::unique_ptr<Trainer> MakeTrainerOn(EngineFactory factory);

}  // namespace vrp
