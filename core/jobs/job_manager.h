// Queues, runs, survives: accepts training jobs, runs them one after the other, keeps every event,
// resumes after a crash. (Solve jobs: solve_job_manager.h.)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/jobs/job_book.h"
#include "core/registry/registry.h"
#include "core/train/trainer.h"

namespace vrp {

// Thread-safe. Errors of the store as of JobBook.
class JobManager {
 public:
  struct Options {
    std::shared_ptr<JobBook> book = {};   // keeps the jobs; its folder, jobs/{id}/checkpoint
    Trainer* trainer = nullptr;           // outlives the manager
    Registry* registry = nullptr;         // outlives the manager
    const Clock* clock = nullptr;         // outlives the manager
    int32_t threads = 1;                  // for training
    std::string default_device = "auto";  // for jobs that name none
    // Progress events come at most this often; the ends of epochs always.
    absl::Duration progress_interval = absl::Milliseconds(100);
    int32_t max_attempts =
        3;  // crashes of the daemon in the same job without a new checkpoint, then it fails
    int32_t max_queued = 1000;
  };
  // Queues again what was interrupted, starts the thread that runs the jobs.
  static absl::StatusOr<std::unique_ptr<JobManager>> Create(Options options);
  // Stops the running job at its next step, with a checkpoint; it resumes at the next start.
  // Blocks.
  virtual ~JobManager() = default;

  // Durable when it returns. The same request_id with the same spec gives the job that is there
  // already; with another spec kAlreadyExists. kInvalidArgument and kUnimplemented: the
  // configuration's errors. kResourceExhausted: the queue is full.
  virtual absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id) = 0;
  // What Submit would refuse, without submitting. A device that is not there now is no error: it
  // may be when the job runs.
  virtual absl::StatusOr<TrainingConfig> Validate(const JobSpec& spec) const = 0;
  virtual absl::StatusOr<Job> Get(std::string_view id) const = 0;
  // Where the event files of this job are, or will be.
  virtual std::string TensorBoardFolder(std::string_view id) const = 0;
  // page_size 1..1000 (0: 50). kInvalidArgument for a token that List did not give.
  virtual absl::StatusOr<JobPage> List(int32_t page_size, const std::string& page_token) const = 0;
  // A queued job ends at once; a running one at its next poll. Of a job that is cancelled (or about
  // to be) nothing changes. kFailedPrecondition: it has succeeded or failed already.
  virtual absl::StatusOr<Job> Cancel(std::string_view id) = 0;
  // From sequence number `from` on (0 and 1: the first). kOutOfRange: beyond the last event + 1.
  virtual absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id,
                                                                   int64_t from) = 0;
};

}  // namespace vrp
