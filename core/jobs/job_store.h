// The durable state of all jobs and their event logs in one SQLite file.
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

// Whether a queued job starts.
enum class QueueDecision {
  kStart,
  kSkip,  // the job waits; the next one may start
  kStop,  // the job waits, and so do all after it
};

// The job store. One connection writes and another reads, so readers never wait for a writer's
// flush. A call that fails changes nothing. All database errors name the file (see Database).
// Thread-safe; blocks on the disk.
class JobStore {
 public:
  // Called after each commit of a new or changed job, without locks, from the thread that wrote.
  // `moved` is whether the job is new or changed its state.
  using Listener = std::function<void(const Job& job, bool moved)>;
  // Opens or creates the file, checks files of at most 256 MiB for damage, and migrates the tables
  // to this program's schema. `clock` outlives the store.
  static absl::StatusOr<std::unique_ptr<JobStore>> Open(const std::string& path,
                                                        const Clock* clock);

  // Returns the database's permanent id. Stores `new_id` as the id if the database has none.
  absl::StatusOr<std::string> Identify(const std::string& new_id);
  // Sets the listener. Must be called before anything is written.
  void SetListener(Listener listener) { listener_ = std::move(listener); }

  // Returns the job that was submitted with `request_id`, if any. Returns kAlreadyExists if that
  // job has another specification.
  absl::StatusOr<std::optional<Job>> FindRequest(const JobSpec& spec,
                                                 std::string_view request_id) const;
  absl::StatusOr<std::optional<Job>> FindRequest(const SolveSpec& spec,
                                                 std::string_view request_id) const;
  // Adds a queued job, or returns the job of the same request. Returns kAlreadyExists if that job
  // has another specification, and kResourceExhausted if `max_queued` jobs of the kind wait,
  // including paused ones.
  absl::StatusOr<Job> Submit(const JobSpec& spec, const std::string& request_id,
                             int32_t max_queued);
  absl::StatusOr<Job> Submit(const SolveSpec& spec, const std::string& request_id,
                             int32_t max_queued);
  // Returns a job, or kNotFound.
  absl::StatusOr<JobRecord> Find(JobKind kind, std::string_view id) const;
  // Returns the jobs of a range, newest first.
  absl::StatusOr<std::vector<JobRecord>> List(const JobRange& range) const;
  // Returns jobs of the kind that are neither queued, paused nor final.
  absl::StatusOr<std::vector<JobRecord>> ListActive(JobKind kind) const;
  // Returns the training jobs that are trials of a sweep, "sweeps/{id}", by trial.
  absl::StatusOr<std::vector<Job>> ListTrials(std::string_view sweep) const;
  // Returns the number of jobs by kind and state, without zero counts.
  absl::StatusOr<std::vector<JobCount>> Count() const;
  // Starts an attempt of the first queued job of the kind, in the order of ReadQueuedRows, for
  // which `decide` returns kStart. Returns nullopt if there is none. `decide` must not call the
  // store.
  absl::StatusOr<std::optional<Job>> StartNext(
      JobKind kind, absl::FunctionRef<QueueDecision(const JobRecord&)> decide);
  absl::StatusOr<std::optional<Job>> StartNext(JobKind kind) {
    return StartNext(kind, [](const JobRecord&) { return QueueDecision::kStart; });
  }
  // Deletes an ended job. Returns kFailedPrecondition if the job has not ended. The caller removes
  // a training job's files. ListDeletions returns the job's id until ForgetDeletion.
  absl::Status Delete(JobKind kind, std::string_view id);
  absl::StatusOr<std::vector<std::string>> ListDeletions() const;
  // Moves the write-ahead log into the database and empties it, so that neither file holds deleted
  // rows any more (the database overwrites them).
  absl::Status EraseDeletedRows();
  absl::Status ForgetDeletion(std::string_view id);
  // Returns the parts `first` to `last` of the result of a simulation, in order.
  absl::StatusOr<std::vector<std::string>> ReadParts(std::string_view id, int64_t first,
                                                     int64_t last) const;
  // Returns a large text of a job; nullopt if there is none (yet).
  absl::StatusOr<std::optional<std::string>> ReadContent(std::string_view id,
                                                         SolveContent kind) const;

  // Applies `change` to the job in one transaction. Rolls the transaction back if `change` returns
  // an error. Writes nothing for an empty change. Returns the changed job, kNotFound if there is
  // none, and kFailedPrecondition if a final job would change.
  absl::StatusOr<Job> Update(std::string_view id, Durability durability,
                             absl::FunctionRef<absl::Status(JobChange&)> change);

  // Calls FindStepTimesRow or WriteStepTimesRow.
  absl::StatusOr<std::optional<StepTimes>> FindStepTimes(std::string_view key) const;
  absl::Status SaveStepTimes(std::string_view key, const StepTimes& times);

  // Calls ReadEventRows or ReadHistoryRows.
  absl::StatusOr<std::vector<JobEvent>> ReadEvents(std::string_view job_id,
                                                   const EventRange& range) const;
  absl::StatusOr<History> ReadHistory(std::string_view job_id, const HistoryRange& range) const;

 private:
  JobStore(std::unique_ptr<Database> writer, std::unique_ptr<Database> reader, const Clock* clock);

  absl::StatusOr<std::optional<Job>> FindSame(const Job& draft) const;
  // Adds a job or returns the one of the same request. `contents` are the initial texts of a job
  // that a solver runs; null for a training job.
  absl::StatusOr<Job> Submit(Job draft, const SolveSpec* contents, int32_t max_queued);
  // The result of Insert.
  struct Submission {
    Job job;
    bool is_new = false;  // whether the job was added, rather than found by its request
  };
  // Works as Submit, but does not call the listener.
  absl::StatusOr<Submission> Insert(Job draft, const SolveSpec* contents, int32_t max_queued)
      ABSL_LOCKS_EXCLUDED(write_mutex_);
  // Writes a change. Returns the changed job.
  absl::StatusOr<Job> Write(const JobChange& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_);
  void Notify(const Job& job, bool moved) const;

  const Clock& clock_;
  Listener listener_;
  absl::Mutex write_mutex_;
  const std::unique_ptr<Database> writer_ ABSL_PT_GUARDED_BY(write_mutex_);
  mutable absl::Mutex read_mutex_;
  const std::unique_ptr<Database> reader_ ABSL_PT_GUARDED_BY(read_mutex_);
};

}  // namespace vrp
