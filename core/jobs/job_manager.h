// Runs training jobs, as many at once as there are places (training_places.h): those to stop first,
// then the highest priority. Keeps their events and resumes them after a crash. (See
// solve_job_manager.h for solve jobs.)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/jobs/dataset_deletion.h"
#include "core/jobs/job_book.h"
#include "core/registry/dataset_store.h"
#include "core/registry/registry.h"
#include "core/train/run/trainer.h"

namespace vrp {

// A published version of a running job's model.
struct LivePublication {
  std::string model;  // models/{name}/versions/{n}
  int64_t step = 0;   // the step of its weights
};

// The interface of training jobs. Thread-safe. Returns errors of the store as JobBook does.
class JobManager {
 public:
  // The environment and the limits of a manager.
  struct Options {
    std::shared_ptr<JobBook> book = {};    // stores jobs; checkpoints are in jobs/{id}/checkpoint
    Trainer* trainer = nullptr;            // outlives the manager
    Registry* registry = nullptr;          // outlives the manager
    DatasetStore* datasets = nullptr;      // outlives the manager; null: no datasets
    const Clock* clock = nullptr;          // outlives the manager
    int32_t threads = 1;                   // threads that jobs on the CPU share
    int32_t jobs_at_once = 1;              // number of jobs that train on the CPU at once
    std::vector<DeviceInfo> devices = {};  // of the machine, the CPU first; empty: ListDevices()
    std::vector<DeviceId> used_devices = {};  // see TrainingPlaces::Options::used
    std::string default_device = "auto";      // for jobs that name no device
    // Minimum time between progress events. Ends of epochs are always stored.
    absl::Duration progress_interval = absl::Milliseconds(100);
    // Number of crashes of the daemon in the same job, without a new checkpoint, after which the
    // job fails.
    int32_t max_attempts = 3;
    int32_t max_queued = 1000;  // maximum number of queued jobs, including paused ones
    int32_t niceness = 0;       // increment of the nice value of the job's threads; see JobRunner
  };
  // Recovers interrupted jobs (see RecoverJobs) and starts the threads that run jobs. Returns
  // kInvalidArgument if an option is missing or out of range.
  static absl::StatusOr<std::unique_ptr<JobManager>> Create(const Options& options);
  // Stops the running jobs at their next steps with a checkpoint. They resume at the next start.
  // Blocks.
  virtual ~JobManager() = default;
  // Returns the largest number of jobs that run at once.
  virtual int32_t places() const = 0;

  // Queues a job durably. Returns the existing job if the request_id was used with the same
  // spec, and kAlreadyExists if it was used with another spec. Returns the errors of Validate and
  // CheckStart. Returns kFailedPrecondition if the configuration's `name` has versions of another
  // architecture. Returns kResourceExhausted if the queue or the state folder's quota is full, or
  // CheckStart ran out of memory.
  virtual absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id) = 0;
  // Returns the configuration, or all errors of the specification; see ValidateSpec.
  virtual absl::StatusOr<TrainingConfig> Validate(const JobSpec& spec) const = 0;
  // Returns the device on which the job would run now, or the errors with which it would fail at
  // its start: see vrp::CheckStart. `config` is the parsed configuration of `spec`. If nothing else
  // is wrong, returns kFailedPrecondition if the configuration's `name` has versions of another
  // architecture. Returns kResourceExhausted if memory runs out.
  virtual absl::StatusOr<DeviceId> CheckStart(const JobSpec& spec,
                                              const TrainingConfig& config) const = 0;
  virtual absl::StatusOr<Job> Get(std::string_view id) const = 0;
  // Returns the absolute path of the job's TensorBoard folder, which need not exist yet.
  virtual std::string TensorBoardFolder(std::string_view id) const = 0;
  // Calls the function of JobBook with the same name, as does ReadHistory.
  virtual absl::StatusOr<JobPage> List(const JobFilter& filter) const = 0;
  virtual absl::StatusOr<History> ReadHistory(std::string_view id,
                                              const HistoryRange& range) const = 0;
  // Cancels a job: a queued or paused one at once, a running one at its next poll. Has no effect on
  // a job that is cancelled or being cancelled. Returns kFailedPrecondition if the job has
  // succeeded or failed already.
  virtual absl::StatusOr<Job> Cancel(std::string_view id) = 0;
  // Ends a job with a model. A running job becomes STOPPING and ends after its current step and a
  // validation, or as CANCELLED if it has no step yet. A job that never ran is CANCELLED at once.
  // Any other waiting or paused job is QUEUED before all others and ends once it runs, also after a
  // restart. Has no effect on a job that was stopped, has succeeded or is cancelled. Returns
  // kFailedPrecondition if the job has failed, or is being cancelled or paused.
  virtual absl::StatusOr<Job> Stop(std::string_view id) = 0;
  // Pauses a job. A queued job is PAUSED at once. A running job becomes PAUSING, then PAUSED with a
  // checkpoint of its last completed step. Has no effect on a job that is paused or being paused.
  // Returns kFailedPrecondition if the job has ended, or is being cancelled or stopped.
  virtual absl::StatusOr<Job> Pause(std::string_view id) = 0;
  // Queues a paused job again. Has no effect on a job that waits or runs. Returns
  // kFailedPrecondition if the job has ended, or is being cancelled, paused or stopped.
  virtual absl::StatusOr<Job> Resume(std::string_view id) = 0;
  // Lets a trial that waits for its sweep's selection train up to `pause_epoch`; 0: to its end.
  // Returns kFailedPrecondition if the job does not wait for a selection.
  virtual absl::StatusOr<Job> ContinueTrial(std::string_view id, int64_t pause_epoch) = 0;
  // Deletes an ended job and all its files except the models that it published. Returns
  // kFailedPrecondition if the job has not ended, or is a trial of a sweep that has not.
  virtual absl::Status Delete(std::string_view id) = 0;
  // Publishes a running job's weights after its current step as a new live version of its model
  // (see registry.h), and loads the version. Returns the existing version if the step was published
  // already. Blocks. Returns kFailedPrecondition if the job is not running, and kAborted if the job
  // ends first. Returns kUnavailable if the daemon stops first, and kDeadlineExceeded if the step
  // takes too long. Returns kResourceExhausted if the state folder's quota is full.
  virtual absl::StatusOr<LivePublication> Publish(std::string_view id) = 0;
  // Calls DeleteDatasetWithDerived, for jobs of all kinds.
  virtual absl::StatusOr<DatasetDeletion> DeleteDataset(std::string_view name) = 0;
  // Ends calls of Publish with kUnavailable, because the daemon stops.
  virtual void StopPublishing() = 0;
  // Calls JobBook::Watch.
  virtual absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id,
                                                                   int64_t from) = 0;
};

}  // namespace vrp
