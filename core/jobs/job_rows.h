// Jobs as rows of the store's tables. Functions on an open connection; the caller holds its lock.
// (Their events: event_rows.h.)
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

namespace vrp {

// `record.number` is given by the table. Returns it.
absl::StatusOr<int64_t> InsertJobRow(Database& database, const JobRecord& record);
// All but what never changes (ids, specification).
absl::Status UpdateJobRow(Database& database, const JobRecord& record);

absl::StatusOr<std::optional<JobRecord>> FindJobRow(Database& database, std::string_view id);
absl::StatusOr<std::optional<JobRecord>> FindJobRowByRequest(Database& database,
                                                             std::string_view request_id);
// Returns the queued job of the kind that goes first: those that are only to end, then those of the
// highest priority, of equal ones the oldest.
absl::StatusOr<std::optional<JobRecord>> FindNextQueuedRow(Database& database, JobKind kind);
// Queued, paused or about to be: whom a pause of all that is queued would not make fewer.
absl::StatusOr<int64_t> CountWaitingRows(Database& database, JobKind kind);
// 1: the next to start; 0: it is not queued. What is read of a job has it.
absl::StatusOr<int64_t> ReadQueuePosition(Database& database, int64_t job_number);
struct JobCount {
  JobKind kind = JobKind::kTraining;
  JobState state = JobState::kQueued;
  int64_t jobs = 0;
};
// Kinds and states of which there are jobs.
absl::StatusOr<std::vector<JobCount>> CountJobRows(Database& database);
// Jobs of the kind that are neither queued, paused nor final, oldest first: of a store that was
// just opened, the interrupted ones.
absl::StatusOr<std::vector<JobRecord>> ReadActiveJobRows(Database& database, JobKind kind);
struct JobRange {
  JobKind kind = JobKind::kTraining;
  int64_t before = 0;  // submitted before this number
  int64_t limit = 0;
  std::map<std::string, std::string> labels = {};  // that they all must have
};
// Newest first.
absl::StatusOr<std::vector<JobRecord>> ReadJobRows(Database& database, const JobRange& range);
// The job with its events and all that it has in the tables. Its files: see the next three.
absl::Status DeleteJobRows(Database& database, int64_t job_number);

// Deleted training jobs whose files may still be there.
absl::Status AddDeletionRow(Database& database, std::string_view job_id);
absl::Status RemoveDeletionRow(Database& database, std::string_view job_id);
absl::StatusOr<std::vector<std::string>> ReadDeletionRows(Database& database);

}  // namespace vrp
