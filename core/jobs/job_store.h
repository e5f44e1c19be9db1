// The durable state of all jobs and their event logs, in one SQLite file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/base/clock.h"
#include "core/jobs/event_rows.h"
#include "core/jobs/job_change.h"
#include "core/jobs/job_rows.h"
#include "core/jobs/sqlite.h"

namespace vrp {

// Thread-safe; blocks on the disk. One connection writes and one reads, so that readers never wait
// for a writer's flush. A call that fails has changed nothing; all database errors name the file
// (see Database).
class JobStore {
 public:
  // Called after each commit, without locks held, by the thread that wrote. `moved`: it is new, or
  // in another state than before.
  using Listener = std::function<void(const Job& job, bool moved)>;
  // Opens or creates the file and brings it to this program's schema.
  static absl::StatusOr<std::unique_ptr<JobStore>> Open(const std::string& path,
                                                        const Clock* clock);

  // The id that the database has for good: `fresh`, where it has none yet.
  absl::StatusOr<std::string> Identify(const std::string& fresh);
  // Before anything is written.
  void SetListener(Listener listener) { listener_ = std::move(listener); }

  // The job that was submitted with `request_id`; kAlreadyExists when that was another
  // specification. nullopt for none.
  absl::StatusOr<std::optional<Job>> FindRequest(const JobSpec& spec,
                                                 std::string_view request_id) const;
  absl::StatusOr<std::optional<Job>> FindRequest(const SolveSpec& spec,
                                                 std::string_view request_id) const;
  // Adds a queued job, or gives the one of the same request. kResourceExhausted: `max_queued` of
  // its kind are waiting, paused ones included.
  absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id,
                             int32_t max_queued);
  absl::StatusOr<Job> Submit(const SolveSpec& spec, const std::string& request_id,
                             int32_t max_queued);
  // kNotFound.
  absl::StatusOr<JobRecord> Find(JobKind kind, std::string_view id) const;
  // Newest first.
  absl::StatusOr<std::vector<JobRecord>> List(const JobRange& range) const;
  // Jobs of the kind that are neither queued, paused nor final.
  absl::StatusOr<std::vector<JobRecord>> ListActive(JobKind kind) const;
  // How many jobs there are, by kind and state; none where there are none.
  absl::StatusOr<std::vector<JobCount>> Count() const;
  // Starts an attempt of the next queued job of the kind (see FindNextQueuedRow); nullopt: none
  // waits.
  absl::StatusOr<std::optional<Job>> StartNext(JobKind kind);
  // Forgets an ended job. kFailedPrecondition: it has not ended. A training job's files are the
  // caller's to remove; the store remembers them until ForgetDeletion.
  absl::Status Delete(JobKind kind, std::string_view id);
  absl::StatusOr<std::vector<std::string>> Deletions() const;
  absl::Status ForgetDeletion(std::string_view id);
  // Of a solve job; nullopt: there is none (yet).
  absl::StatusOr<std::optional<std::string>> Content(std::string_view id, SolveContent kind) const;

  // Applies `change` to the job in one transaction; its error undoes all. An empty change writes
  // nothing. Returns the job as it is afterwards.
  absl::StatusOr<Job> Update(std::string_view id, Durability durability,
                             absl::FunctionRef<absl::Status(JobChange&)> change);

  // As ReadEventRows and ReadHistoryRows.
  absl::StatusOr<std::vector<JobEvent>> Events(std::string_view job_id,
                                               const EventRange& range) const;
  absl::StatusOr<History> ReadHistory(std::string_view job_id, const HistoryRange& range) const;

 private:
  JobStore(std::unique_ptr<Database> writer, std::unique_ptr<Database> reader, const Clock* clock);

  absl::StatusOr<std::optional<Job>> FindSame(const Job& draft) const;
  // `contents`: what a solve job begins with.
  absl::StatusOr<Job> Submit(Job draft, const SolveSpec* contents, int32_t max_queued);
  absl::StatusOr<Job> Insert(Job draft, const SolveSpec* contents, int32_t max_queued)
      ABSL_LOCKS_EXCLUDED(write_mutex_);
  // Returns the job as it is afterwards.
  absl::StatusOr<Job> Write(const JobChange& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  void Tell(const Job& job, bool moved) const;

  const Clock& clock_;
  Listener listener_;
  absl::Mutex write_mutex_;
  const std::unique_ptr<Database> writer_ ABSL_PT_GUARDED_BY(write_mutex_);
  mutable absl::Mutex read_mutex_;
  const std::unique_ptr<Database> reader_ ABSL_PT_GUARDED_BY(read_mutex_);
};

}  // namespace vrp
