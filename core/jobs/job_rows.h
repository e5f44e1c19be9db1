// Jobs as rows of the store's tables. The functions use an open connection whose lock the caller
// holds. (Events of jobs: event_rows.h.)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job_change.h"
#include "core/jobs/sqlite.h"
#include "core/jobs/step_timing.h"

namespace vrp {

// Inserts a job. Returns the number that the table assigns to it.
absl::StatusOr<int64_t> InsertJobRow(Database& database, const JobRecord& record);
// Updates all columns except compacted_to (see ThinEventRows) and those that never change, such as
// the ids and the specification.
absl::Status UpdateJobRow(Database& database, const JobRecord& record);

absl::StatusOr<std::optional<JobRecord>> FindJobRow(Database& database, std::string_view id);
absl::StatusOr<std::optional<JobRecord>> FindJobRowByRequest(Database& database,
                                                             std::string_view request_id);
// A range of the queue.
struct QueueRange {
  int64_t first = 0;  // counted from 0
  int64_t limit = 0;  // maximum number of jobs
};
// Returns queued jobs of the kind in the order in which they start: jobs that only have to end come
// first, then the highest priority, then the oldest.
absl::StatusOr<std::vector<JobRecord>> ReadQueuedRows(Database& database, JobKind kind,
                                                      const QueueRange& range);
// Returns the number of jobs that are queued, paused or pausing. Pausing a job does not lower this
// number.
absl::StatusOr<int64_t> CountWaitingRows(Database& database, JobKind kind);
// Returns the job's position in the queue: 1 for the next job to start, 0 if the job is not queued.
// The functions that read jobs set Job::queue_position to it.
absl::StatusOr<int64_t> ReadQueuePosition(Database& database, int64_t job_number);
// A number of jobs of one kind in one state.
struct JobCount {
  JobKind kind = JobKind::kTraining;
  JobState state = JobState::kQueued;
  int64_t jobs = 0;
};
// Returns the number of jobs by kind and state, without zero counts.
absl::StatusOr<std::vector<JobCount>> CountJobRows(Database& database);
// Returns jobs of the kind that are neither queued, paused nor final, oldest first. In a store that
// was just opened, these jobs were interrupted.
absl::StatusOr<std::vector<JobRecord>> ReadActiveJobRows(Database& database, JobKind kind);
// Returns the training jobs that are trials of a sweep, by trial.
absl::StatusOr<std::vector<JobRecord>> ReadTrialRows(Database& database, std::string_view sweep);
// A range of a list of jobs.
struct JobRange {
  JobKind kind = JobKind::kTraining;
  int64_t before = 0;                              // exclusive upper bound of the jobs' numbers
  int64_t limit = 0;                               // maximum number of jobs
  std::map<std::string, std::string> labels = {};  // each job must have all of them
};
// Returns the jobs of a range, newest first.
absl::StatusOr<std::vector<JobRecord>> ReadJobRows(Database& database, const JobRange& range);
// Deletes a job's row and all rows that belong to the job.
absl::Status DeleteJobRows(Database& database, int64_t job_number);

// Returns what `device: auto` has measured for a TimingKey; nullopt if nothing.
absl::StatusOr<std::optional<StepTimes>> FindStepTimesRow(Database& database, std::string_view key);
absl::Status WriteStepTimesRow(Database& database, std::string_view key, const StepTimes& times);

// Adds, removes or returns records of deleted training jobs whose files may still exist.
absl::Status AddDeletionRow(Database& database, std::string_view job_id);
absl::Status RemoveDeletionRow(Database& database, std::string_view job_id);
absl::StatusOr<std::vector<std::string>> ReadDeletionRows(Database& database);

}  // namespace vrp
