// One attempt of one job: from its specification to a published model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/stop.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_recorder.h"
#include "core/jobs/job_store.h"
#include "core/jobs/live_runs.h"
#include "core/jobs/state_folder.h"
#include "core/jobs/training_places.h"
#include "core/registry/dataset_store.h"
#include "core/registry/registry.h"
#include "core/train/run/trainer.h"

namespace vrp {

// The environment of a run. All members outlive the run.
struct JobRunContext {
  JobStore* store = nullptr;
  const StateFolder* folder = nullptr;
  const StateQuota* quota = nullptr;
  const StopSignal* stopping = nullptr;
  Trainer* trainer = nullptr;
  Registry* registry = nullptr;
  const DatasetStore* datasets = nullptr;  // null if there are no datasets
  const Clock* clock = nullptr;
  LiveRuns* live = nullptr;
  TrainingPlaces* places = nullptr;
  absl::Duration progress_interval;
};

// One attempt of a training job.
class JobRun {
 public:
  // Prepares a run of `job`, which is PREPARING. Cancelling or pausing the job and stopping the
  // daemon set `cancel`.
  JobRun(const JobRunContext& context, Job job, std::shared_ptr<const CancelFlag> cancel);

  // Runs the job and stores its outcome: SUCCEEDED, FAILED, CANCELLED, PAUSED, or QUEUED again if
  // the daemon stops. Stores errors of the job instead of returning them. If the device is lost,
  // stores no outcome and waits until the daemon stops. Blocks.
  void Run();

 private:
  // The result of a run that has trained and published a model.
  struct Outcome {
    std::string model;  // the published model; empty for a trial of a sweep
    TrainingResult result;
  };
  absl::StatusOr<Outcome> RunToModel();
  // Trains a trial of a sweep, whose model stays in the job's folder.
  absl::StatusOr<Outcome> RunTrial(TrainingRequest request);
  absl::StatusOr<TrainingRequest> Prepare();
  // Chooses the device of a job with `device: auto` that has not trained yet, for all its runs.
  // Returns kCancelled if the job has to wait for a place on the chosen device.
  absl::Status ChooseFaster(TrainingRequest& request);
  // Sets the threads of the run. Logs them unless they are all that there are.
  void SetThreads(TrainingRequest& request);
  absl::StatusOr<Outcome> TrainAndPublish(const TrainingRequest& request);
  // Publishes the model, and waits while the disk is full. Returns kCancelled if `cancel` is set
  // meanwhile.
  absl::StatusOr<ModelVersion> PublishWhenPossible(const TrainingRequest& request);
  // Frees space within the quota by removing superseded checkpoints. The quota never prevents the
  // result from being stored.
  void FreeSpaceForModel();
  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request);
  // Moves to RUNNING, or to STOPPING if the job only has to end, and records where the job runs.
  // Returns kCancelled if the job must not continue.
  absl::Status Begin(const RunPlace& place);
  absl::Status ConcludeStopped(JobChange& change) const;
  // Concludes a run that ended before the end of the training.
  absl::Status ConcludeCancelled(JobChange& change, const absl::Status& error) const;
  absl::Status ConcludeHeld(JobChange& change) const;
  absl::Status Conclude(JobChange& change, const absl::StatusOr<Outcome>& outcome) const;

  const JobRunContext& context_;
  const Job job_;
  const std::shared_ptr<const CancelFlag> cancel_;
  // Ends the run where a trial waits for its sweep's selection; child of cancel_.
  const std::shared_ptr<CancelFlag> hold_;
  const std::shared_ptr<CancelFlag> end_early_;  // child of hold_
  bool waits_for_cpu_ = false;  // whether the job has to wait for a place on the CPU
  JobRecorder recorder_;
};

// Removes the folder with the checkpoints of a job that has succeeded or was cancelled. A trial
// that has succeeded keeps its model. Does nothing for other jobs. Leaves files that cannot be
// removed.
void RemoveJobFolder(const StateFolder& folder, const Job& job);

// Removes all files of a job that was deleted from `store`. The next start retries files that
// cannot be removed.
void RemoveDeletedJob(JobStore& store, const StateFolder& folder, const std::string& id);

}  // namespace vrp
