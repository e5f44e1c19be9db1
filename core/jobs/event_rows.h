// The events of jobs as rows of the store's tables, and how a long log is thinned. As job_rows.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/jobs/sqlite.h"

namespace vrp {

absl::Status InsertEventRow(Database& database, int64_t job_number, const JobEvent& event);

struct EventRange {
  int64_t first = 1;
  int64_t last = 0;
  int64_t limit = 0;  // rows
};
// In order. In the place of events that were thinned out stands one of kind kCompacted, which
// `limit` does not count; a gap that thinning has not made stays a gap.
absl::StatusOr<std::vector<JobEvent>> ReadEventRows(Database& database, std::string_view job_id,
                                                    const EventRange& range);

// How much of a job's log is kept.
struct EventLimits {
  int64_t newest = 1000;       // of all kinds
  int64_t progress = 4000;     // of the older ones
  int64_t checkpoints = 1000;  // likewise
  int64_t logs = 10'000;       // likewise: the newest, and the first 200
};
// Thins what is beyond the limits: of progress and checkpoints the last one in each so many steps
// is left, ends of epochs rather than other progress. The steps are a power of two, so that a point
// which is kept stays while others go.
absl::Status ThinEventRows(Database& database, int64_t job_number, const EventLimits& limits);

struct HistoryRange {
  int64_t first_step = 1;
  int64_t last_step = 0;   // 0: to the last
  int64_t max_points = 0;  // of more, evenly spread ones are given
  bool epochs_only = false;
};
struct History {
  std::vector<JobEvent> points;  // progress, by step
  int64_t stored = 0;            // of which they were taken
};
// Where attempts overlap, the newest counts.
absl::StatusOr<History> ReadHistoryRows(Database& database, std::string_view job_id,
                                        const HistoryRange& range);

}  // namespace vrp
