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
#include "core/registry/dataset_store.h"
#include "core/registry/registry.h"
#include "core/train/run/trainer.h"

namespace vrp {

// What a run works with; all of it outlives the run.
struct JobRunContext {
  JobStore* store = nullptr;
  const StateFolder* folder = nullptr;
  const StateQuota* quota = nullptr;
  const StopSignal* stopping = nullptr;
  Trainer* trainer = nullptr;
  Registry* registry = nullptr;
  const DatasetStore* datasets = nullptr;  // null: none are kept
  const Clock* clock = nullptr;
  LiveRuns* live = nullptr;
  int32_t threads = 1;
  std::string default_device;
  absl::Duration progress_interval;
};

class JobRun {
 public:
  // `job` is PREPARING. `cancel` is set by who cancels the job or stops the daemon.
  JobRun(const JobRunContext& context, Job job, std::shared_ptr<const CancelFlag> cancel);

  // Runs the job to its end and stores how it ended: SUCCEEDED, FAILED, CANCELLED, PAUSED, or
  // QUEUED again when the daemon stops. Nothing that goes wrong in the job leaves this call.
  // Blocks.
  void Run();

 private:
  struct Outcome {
    std::string model;  // that was published
    TrainingResult result;
  };
  absl::StatusOr<Outcome> RunToModel();
  absl::StatusOr<TrainingRequest> Prepare();
  absl::StatusOr<Outcome> TrainAndPublish(const TrainingRequest& request);
  // Waits while the disk is full, as for the weights before. kCancelled: it was stopped then.
  absl::StatusOr<ModelVersion> PublishForSure(const TrainingRequest& request);
  // Of the quota. What a training came to is never lost to it.
  void MakeRoomForModel();
  absl::StatusOr<TrainingResult> Train(const TrainingRequest& request);
  // RUNNING, or STOPPING where it is only to end. kCancelled: it is not to go on.
  absl::Status Begin();
  absl::Status ConcludeStopped(JobChange& change) const;
  absl::Status Conclude(JobChange& change, const absl::StatusOr<Outcome>& outcome) const;

  const JobRunContext& context_;
  const Job job_;
  const std::shared_ptr<const CancelFlag> cancel_;
  const std::shared_ptr<CancelFlag> end_early_;  // cancelled with cancel_ too
  JobRecorder recorder_;
};

// Removes the checkpoints of a job that needs them no more. What cannot be removed stays.
void RemoveJobFolder(const StateFolder& folder, const Job& job);

// Removes all files of a job that was deleted from `store`. What cannot be removed, or is left by a
// crash, is tried again at the next start.
void RemoveDeletedJob(JobStore& store, const StateFolder& folder, const std::string& id);

}  // namespace vrp
