// Jobs and events as rows of the store's tables. Functions on an open connection; the caller holds
// its lock.
#pragma once

#include <cstdint>
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
absl::Status InsertEventRow(Database& database, int64_t job_number, const JobEvent& event);

absl::StatusOr<std::optional<JobRecord>> FindJobRow(Database& database, std::string_view id);
absl::StatusOr<std::optional<JobRecord>> FindJobRowByRequest(Database& database,
                                                             std::string_view request_id);
// The oldest queued job of the kind.
absl::StatusOr<std::optional<JobRecord>> FindNextQueuedRow(Database& database, JobKind kind);
absl::StatusOr<int64_t> CountQueuedRows(Database& database, JobKind kind);
// Jobs of the kind that are neither queued, paused nor final, oldest first: of a store that was
// just opened, the interrupted ones.
absl::StatusOr<std::vector<JobRecord>> ReadActiveJobRows(Database& database, JobKind kind);
struct JobRange {
  JobKind kind = JobKind::kTraining;
  int64_t before = 0;  // submitted before this number
  int64_t limit = 0;
};
// Newest first.
absl::StatusOr<std::vector<JobRecord>> ReadJobRows(Database& database, const JobRange& range);
// The job with its events and all that it has.
absl::Status DeleteJobRows(Database& database, int64_t job_number);

struct EventRange {
  int64_t first = 1;
  int64_t last = 0;
  int64_t limit = 0;
};
absl::StatusOr<std::vector<JobEvent>> ReadEventRows(Database& database, std::string_view job_id,
                                                    const EventRange& range);

}  // namespace vrp
