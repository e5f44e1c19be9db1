// The events of jobs as rows of the store's tables, and the thinning of long logs. As in
// job_rows.h, the functions use an open connection whose lock the caller holds.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/jobs/sqlite.h"

namespace vrp {

// Inserts an event of the job with the number `job_number`.
absl::Status InsertEventRow(Database& database, int64_t job_number, const JobEvent& event);

// A range of sequence numbers; both ends belong to the range.
struct EventRange {
  int64_t first = 1;
  int64_t last = 0;
  int64_t limit = 0;  // maximum number of rows
};
// Returns events in order. One event of type kCompacted replaces each run of thinned events;
// `limit` does not count these. Other gaps remain.
absl::StatusOr<std::vector<JobEvent>> ReadEventRows(Database& database, std::string_view job_id,
                                                    const EventRange& range);

// The numbers of a job's events above which ThinEventRows thins them, except `newest`.
struct EventLimits {
  int64_t newest = 1000;       // number of newest events, over all types, that are always kept
  int64_t progress = 4000;     // among the older ones
  int64_t checkpoints = 1000;  // among the older ones
  int64_t logs = 10'000;       // among the older ones, besides the first 200, which are kept
};
// Thins progress, checkpoints or logs that exceed their limit, to about half the limit. Keeps the
// events of other types. Keeps the first 200 logs and the newest. Keeps the last progress event and
// the last checkpoint of every interval of steps. Prefers ends of epochs to other progress. The
// lengths of intervals are powers of two, so that a later thinning joins whole intervals.
absl::Status ThinEventRows(Database& database, int64_t job_number, const EventLimits& limits);

// A range of steps, and the wanted part of its progress events.
struct HistoryRange {
  int64_t first_step = 1;
  int64_t last_step = 0;     // both ends belong to the range; 0: no limit
  int64_t max_points = 0;    // longer histories are sampled evenly
  bool epochs_only = false;  // whether to return only ends of epochs
};
// The progress of a job over its steps.
struct History {
  std::vector<JobEvent> points;  // progress events, by step
  int64_t stored = 0;            // number of points in the range, before sampling
};
// Returns the progress in the range. If attempts overlap, the newest one counts.
absl::StatusOr<History> ReadHistoryRows(Database& database, std::string_view job_id,
                                        const HistoryRange& range);

}  // namespace vrp
