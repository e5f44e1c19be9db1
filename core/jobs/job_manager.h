// Queues, runs, survives: accepts training jobs, runs them one after the other, those of the
// highest priority first, keeps their events, resumes after a crash. (Solve jobs:
// solve_job_manager.h.)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/jobs/job_book.h"
#include "core/registry/dataset_store.h"
#include "core/registry/registry.h"
#include "core/train/run/trainer.h"

namespace vrp {

struct LivePublication {
  std::string model;  // models/{name}/versions/{n}
  int64_t step = 0;   // whose weights it has
};

// Thread-safe. Errors of the store as of JobBook.
class JobManager {
 public:
  struct Options {
    std::shared_ptr<JobBook> book = {};   // keeps the jobs; its folder, jobs/{id}/checkpoint
    Trainer* trainer = nullptr;           // outlives the manager
    Registry* registry = nullptr;         // outlives the manager
    DatasetStore* datasets = nullptr;     // outlives the manager; null: none are kept
    const Clock* clock = nullptr;         // outlives the manager
    int32_t threads = 1;                  // for training
    std::string default_device = "auto";  // for jobs that name none
    // Progress events come at most this often; the ends of epochs always.
    absl::Duration progress_interval = absl::Milliseconds(100);
    int32_t max_attempts =
        3;  // crashes of the daemon in the same job without a new checkpoint, then it fails
    int32_t max_queued = 1000;  // with those that are paused
    int32_t niceness = 0;       // of the training's threads, see JobRunner
  };
  // Queues again what was interrupted, starts the thread that runs the jobs.
  static absl::StatusOr<std::unique_ptr<JobManager>> Create(const Options& options);
  // Stops the running job at its next step, with a checkpoint; it resumes at the next start.
  // Blocks.
  virtual ~JobManager() = default;

  // Durable when it returns. The same request_id with the same spec gives the job that is there
  // already; with another spec kAlreadyExists. kInvalidArgument and kUnimplemented: the errors of
  // Validate and CheckStart. kFailedPrecondition: the configuration's `name` has versions of
  // another architecture. kResourceExhausted: the queue is full, the state folder's quota is used,
  // or CheckStart found no memory.
  virtual absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id) = 0;
  // Returns the configuration, or what is wrong with the specification; see ValidateSpec.
  virtual absl::StatusOr<TrainingConfig> Validate(const JobSpec& spec) const = 0;
  // Returns the device on which the job would run now, or what would make it fail at its start: see
  // vrp::CheckStart. `config` is the specification's. kFailedPrecondition, where nothing else is
  // wrong: its `name` has versions of another architecture. kResourceExhausted: no memory for it.
  virtual absl::StatusOr<DeviceId> CheckStart(const JobSpec& spec,
                                              const TrainingConfig& config) const = 0;
  virtual absl::StatusOr<Job> Get(std::string_view id) const = 0;
  // Where the event files of this job are, or will be.
  virtual std::string TensorBoardFolder(std::string_view id) const = 0;
  // As JobBook.
  virtual absl::StatusOr<JobPage> List(const JobFilter& filter) const = 0;
  virtual absl::StatusOr<History> ReadHistory(std::string_view id,
                                              const HistoryRange& range) const = 0;
  // A queued job ends at once; a running one at its next poll. Of a job that is cancelled (or about
  // to be) nothing changes. kFailedPrecondition: it has succeeded or failed already.
  virtual absl::StatusOr<Job> Cancel(std::string_view id) = 0;
  // Ends the job with a model: a running one becomes STOPPING and ends after its current step and a
  // validation, one without a step yet as CANCELLED. A job that never ran is CANCELLED at once. Any
  // other waiting or paused one becomes QUEUED before all others and ends once it runs. A daemon
  // that dies meanwhile ends it after its restart. Of a job that was stopped, has succeeded or is
  // cancelled nothing changes. kFailedPrecondition: it has failed, or is being cancelled or paused.
  virtual absl::StatusOr<Job> Stop(std::string_view id) = 0;
  // A queued job at once; a running one becomes PAUSING, and PAUSED with a checkpoint of its last
  // whole step. Of a job that is paused (or about to be) nothing changes. kFailedPrecondition: it
  // has ended, or is being cancelled or stopped.
  virtual absl::StatusOr<Job> Pause(std::string_view id) = 0;
  // A paused job is queued again. Of a job that waits or runs nothing changes. kFailedPrecondition:
  // it has ended, or is being cancelled, paused or stopped.
  virtual absl::StatusOr<Job> Resume(std::string_view id) = 0;
  // Forgets an ended job with all its files but the models that it published. kFailedPrecondition:
  // it has not ended.
  virtual absl::Status Delete(std::string_view id) = 0;
  // A running job's weights after its current step as a new live version of its model (see
  // registry.h), which is loaded when this returns. Of a step that was published already the
  // version that there is. Blocks until then. kFailedPrecondition: it does not run; kAborted: it
  // stopped before; kDeadlineExceeded: the step takes too long; kResourceExhausted: the state
  // folder's quota is used.
  virtual absl::StatusOr<LivePublication> Publish(std::string_view id) = 0;
  // Deletes an uploaded dataset, `datasets/{name}`. Errors as DatasetStore's; kFailedPrecondition:
  // a job that has not ended reads it.
  virtual absl::Status DeleteDataset(std::string_view name) = 0;
  // The daemon stops: calls of Publish end soon, with kUnavailable.
  virtual void StopPublishing() = 0;
  // From sequence number `from` on (0 and 1: the first). kOutOfRange: beyond the last event + 1.
  virtual absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id,
                                                                   int64_t from) = 0;
};

}  // namespace vrp
