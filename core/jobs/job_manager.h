// Queues, runs, survives: accepts training jobs, runs them one after the other, keeps every event,
// resumes after a crash.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/jobs/job.h"
#include "core/registry/registry.h"
#include "core/train/trainer.h"

namespace vrp {

// Follows one job's event log, in order and without gaps. Thread-safe. May outlive the manager.
class EventSubscription {
 public:
  virtual ~EventSubscription() = default;
  // Calls `on_ready` once (from any thread, possibly at once) when Next() may return more, or fail.
  // Never blocks. Not called any more after the subscription has gone, except for a call that has
  // begun.
  virtual void NotifyWhenReady(std::function<void()> on_ready) = 0;
  // Up to `limit` events (1,000 at most) from where the last call ended; empty: none yet. Reads the
  // store, so a slow reader costs memory nowhere and never blocks training. kUnavailable: all
  // events were handed out, and the manager has stopped before the job was final.
  virtual absl::StatusOr<std::vector<JobEvent>> Next(int64_t limit) = 0;
  // True when the job is final and every event was handed out.
  virtual bool AtEnd() const = 0;
};

struct JobPage {
  std::vector<Job> jobs;        // newest first
  std::string next_page_token;  // empty: the last page
};

// Thread-safe. Errors of the store name its file: kResourceExhausted (disk full), kUnavailable,
// kDataLoss (damaged).
class JobManager {
 public:
  struct Options {
    std::string state_directory =
        {};  // jobs.db and jobs/{id}/checkpoint lie there; one daemon at a time (locked)
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
  // Opens the store, queues again what was interrupted, starts the thread that runs the jobs.
  // kFailedPrecondition: another daemon has the folder, its schema is newer, or it cannot be
  // written; kDataLoss: the store is damaged.
  static absl::StatusOr<std::unique_ptr<JobManager>> Create(Options options);
  // Stops the running job at its next step, with a checkpoint; it resumes at the next start.
  // Blocks. Subscriptions that still follow a job are woken.
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
