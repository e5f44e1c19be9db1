// Queues, runs, survives: accepts training jobs, runs them one after the other, keeps every event, resumes after a crash.
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

// Follows one job's event log, in order and without gaps. Thread-safe.
class EventSubscription {
 public:
  virtual ~EventSubscription() = default;
  // Calls `on_ready` once (from any thread, possibly at once) when Next() may return more. Never blocks.
  virtual void NotifyWhenReady(std::function<void()> on_ready) = 0;
  // Up to `limit` events from where the last call ended; empty: none yet. Reads the store, so a slow reader costs memory
  // nowhere and never blocks training.
  virtual absl::StatusOr<std::vector<JobEvent>> Next(int64_t limit) = 0;
  // True when the job is final and every event was handed out.
  virtual bool AtEnd() const = 0;
};

struct JobPage {
  std::vector<Job> jobs;         // newest first
  std::string next_page_token;   // empty: the last page
};

class JobManager {
 public:
  struct Options {
    std::string state_directory;   // jobs.db and jobs/{id}/checkpoint lie there; one daemon at a time (locked)
    Trainer* trainer = nullptr;    // outlives the manager
    Registry* registry = nullptr;  // outlives the manager
    const Clock* clock = nullptr;  // outlives the manager
    int32_t threads = 1;           // for training
    std::string default_device = "auto";
    absl::Duration progress_interval = absl::Milliseconds(100);  // progress events at most this often; epoch ends always
    int32_t max_attempts = 3;      // crashes of the daemon in the same job, then it fails
    int32_t max_queued = 1000;
  };
  // Opens the store and queues again what was interrupted. kFailedPrecondition: another daemon has the folder, or its schema
  // is newer.
  static absl::StatusOr<std::unique_ptr<JobManager>> Create(Options options);
  // Stops the running job at its next step, with a checkpoint; it resumes at the next start. Blocks.
  virtual ~JobManager() = default;

  // Durable when it returns. The same request_id with the same spec gives the job that is there already; with another spec
  // kAlreadyExists. kInvalidArgument and kUnimplemented: the configuration's errors. kResourceExhausted: the queue is full.
  virtual absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id) = 0;
  // What Submit would refuse, without submitting.
  virtual absl::StatusOr<TrainingConfig> Validate(const JobSpec& spec) const = 0;
  virtual absl::StatusOr<Job> Get(std::string_view id) const = 0;
  // page_size 1..1000 (0: 50). kInvalidArgument for a token that List did not give.
  virtual absl::StatusOr<JobPage> List(int32_t page_size, const std::string& page_token) const = 0;
  // A queued job ends at once; a running one at its next poll. Final already: kFailedPrecondition. Twice: fine.
  virtual absl::StatusOr<Job> Cancel(std::string_view id) = 0;
  // From sequence number `from` on (1: the first). kOutOfRange: beyond the last event + 1.
  virtual absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(std::string_view id, int64_t from) = 0;
};

}  // namespace vrp
