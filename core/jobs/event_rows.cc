#include "core/jobs/event_rows.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/progress_json.h"

namespace vrp {
namespace {

// Number of a job's first log events that are never thinned: the banner and the start of the job.
constexpr int64_t kFirstLogs = 200;

constexpr char kSelectEvent[] =
    "SELECT sequence, attempt, time, type, state, text, step, progress FROM events "
    "WHERE job = (SELECT number FROM jobs WHERE id = ?) ";

absl::Status DamagedEventError(Database& database, std::string_view source, std::string_view got) {
  return absl::DataLossError(Concat(database.path(), ": ", source, ": got ", Quoted(got),
                                    ", which vrpd does not write; the file is damaged: restore a "
                                    "copy of it, without its -wal and -shm"));
}

absl::StatusOr<JobEvent> EventFromRow(Database& database, const Query& row) {
  JobEvent event;
  event.sequence = row.Integer(0);
  event.attempt = static_cast<int32_t>(row.Integer(1));
  event.time = absl::FromUnixNanos(row.Integer(2));
  const std::optional<EventType> type = ParseEventType(row.Text(3));
  if (!type) return DamagedEventError(database, "events.type", row.Text(3));
  event.type = *type;
  const std::optional<JobState> state = ParseJobState(row.Text(4));
  if (!state) return DamagedEventError(database, "events.state", row.Text(4));
  event.state = *state;
  event.text = row.Text(5);
  event.step = row.Integer(6);
  const std::optional<std::string> progress = row.OptionalText(7);
  if (!progress) return event;
  const std::string source = Concat(database.path(), ": events.progress");
  if (event.type == EventType::kProgress) {
    VRP_ASSIGN_OR_RETURN(event.progress, ParseProgress(*progress, source));
  } else if (event.type == EventType::kModel) {
    VRP_ASSIGN_OR_RETURN(event.published, ParsePublished(*progress, source));
  } else {
    VRP_ASSIGN_OR_RETURN(event.solve, ParseSolveProgress(*progress, source));
  }
  return event;
}

absl::StatusOr<std::vector<JobEvent>> EventsFromRows(Database& database, Query& query) {
  std::vector<JobEvent> events;
  while (true) {
    VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
    if (!row) return events;
    VRP_ASSIGN_OR_RETURN(JobEvent event, EventFromRow(database, query));
    events.push_back(std::move(event));
  }
}

// Returns the first column of the first row, or 0 if there is no row.
template <typename... Values>
absl::StatusOr<int64_t> ReadNumber(Database& database, const std::string& sql,
                                   const Values&... values) {
  VRP_ASSIGN_OR_RETURN(Query query, database.Prepare(sql));
  VRP_RETURN_IF_ERROR(query.Bind(values...));
  VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
  return row ? query.Integer(0) : 0;
}

template <typename... Values>
absl::Status Run(Database& database, const std::string& sql, const Values&... values) {
  VRP_ASSIGN_OR_RETURN(Query query, database.Prepare(sql));
  VRP_RETURN_IF_ERROR(query.Bind(values...));
  return query.Run();
}

// Returns the event that replaces the gap from sequence number `first` to the event before `next`.
JobEvent Compacted(int64_t first, const JobEvent& next) {
  JobEvent event;
  event.sequence = next.sequence - 1;
  event.attempt = next.attempt;
  event.time = next.time;
  event.type = EventType::kCompacted;
  event.state = next.state;
  event.first_sequence = first;
  return event;
}

std::vector<JobEvent> FillGaps(std::vector<JobEvent> events, int64_t first, int64_t compacted_to) {
  std::vector<JobEvent> filled;
  filled.reserve(events.size());
  for (JobEvent& event : events) {
    if (event.sequence > first && event.sequence - 1 <= compacted_to) {
      filled.push_back(Compacted(first, event));
    }
    first = event.sequence + 1;
    filled.push_back(std::move(event));
  }
  return filled;
}

// SQL for the older events of one type; see OlderEvents.
constexpr char kFromOlderEvents[] = "FROM events WHERE job = ? AND type = ? AND sequence <= ?";

// The events of a job up to a sequence number.
struct OlderEvents {
  int64_t job = 0;
  int64_t last = 0;  // later events are not touched
};

absl::StatusOr<int64_t> Count(Database& database, const OlderEvents& older, std::string_view type) {
  return ReadNumber(database, Concat("SELECT count(*) ", kFromOlderEvents), older.job, type,
                    older.last);
}

// Returns the smallest power of two that divides `last_step` into at most `max_intervals`
// intervals.
int64_t Stride(int64_t last_step, int64_t max_intervals) {
  int64_t stride = 1;
  while (last_step / stride >= max_intervals) stride *= 2;
  return stride;
}

// Thins the events of one type to half their limit, so that thinning is rare. Returns whether the
// type exceeded its limit.
absl::StatusOr<bool> ThinSteps(Database& database, const OlderEvents& older, std::string_view type,
                               int64_t limit) {
  VRP_ASSIGN_OR_RETURN(const int64_t count, Count(database, older, type));
  if (count <= limit) return false;
  VRP_ASSIGN_OR_RETURN(const int64_t last_step,
                       ReadNumber(database, Concat("SELECT max(step) ", kFromOlderEvents),
                                  older.job, type, older.last));
  // Adds 2^40, which no sequence number reaches, to the number of an event that ends an epoch.
  // max() therefore prefers this event to others of its interval.
  VRP_RETURN_IF_ERROR(
      Run(database,
          Concat("DELETE ", kFromOlderEvents,
                 " AND sequence NOT IN (SELECT max(sequence + 1099511627776 * "
                 "coalesce(json_extract(progress, '$.end_of_epoch'), 0)) % 1099511627776 ",
                 kFromOlderEvents, " GROUP BY step / ?)"),
          older.job, type, older.last, older.job, type, older.last,
          Stride(last_step, std::max<int64_t>(limit / 2, 1))));
  return true;
}

absl::StatusOr<bool> ThinLogs(Database& database, const OlderEvents& older, int64_t limit) {
  const std::string_view type = EventTypeName(EventType::kLog);
  VRP_ASSIGN_OR_RETURN(const int64_t count, Count(database, older, type));
  if (count <= limit + kFirstLogs) return false;
  VRP_RETURN_IF_ERROR(Run(database,
                          Concat("DELETE ", kFromOlderEvents, " AND sequence IN (SELECT sequence ",
                                 kFromOlderEvents, " ORDER BY sequence LIMIT ? OFFSET ?)"),
                          older.job, type, older.last, older.job, type, older.last,
                          count - kFirstLogs - limit / 2, kFirstLogs));
  return true;
}

struct Point {
  int64_t sequence = 0;
  int64_t step = 0;
  bool end_of_epoch = false;
};

// Returns the points in the range, sorted by step, each from the newest attempt that reached its
// step.
absl::StatusOr<std::vector<Point>> ReadPoints(Database& database, std::string_view job_id,
                                              const HistoryRange& range) {
  VRP_ASSIGN_OR_RETURN(
      Query query,
      database.Prepare("SELECT sequence, step, coalesce(json_extract(progress, '$.end_of_epoch'), "
                       "0) FROM events WHERE job = (SELECT number FROM jobs WHERE id = ?) AND "
                       "type = 'progress' ORDER BY sequence DESC"));
  VRP_RETURN_IF_ERROR(query.Bind(job_id));
  const int64_t last = range.last_step > 0 ? range.last_step : std::numeric_limits<int64_t>::max();
  std::vector<Point> points;
  int64_t lowest_step = std::numeric_limits<int64_t>::max();
  while (true) {
    VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
    if (!row) break;
    const Point point{query.Integer(0), query.Integer(1), query.Integer(2) != 0};
    if (point.step >= lowest_step) continue;
    lowest_step = point.step;
    const bool wanted = point.step >= range.first_step && point.step <= last;
    if (wanted && (point.end_of_epoch || !range.epochs_only)) points.push_back(point);
  }
  std::reverse(points.begin(), points.end());
  return points;
}

// Returns all points if there are at most `wanted`. Otherwise divides them into `wanted` intervals
// with about equally many points. From each, returns the last end of an epoch, or else the last
// point. The last interval always yields the last point of all.
std::vector<Point> SampleEvenly(const std::vector<Point>& points, int64_t wanted) {
  const auto count = static_cast<int64_t>(points.size());
  if (count <= wanted) return points;
  std::vector<Point> chosen;
  for (int64_t part = 0; part < wanted; ++part) {
    const int64_t begin = part * count / wanted, end = (part + 1) * count / wanted;
    Point best = points[static_cast<size_t>(end - 1)];
    for (int64_t i = end - 1; i >= begin && !best.end_of_epoch && end != count; --i) {
      if (points[static_cast<size_t>(i)].end_of_epoch) best = points[static_cast<size_t>(i)];
    }
    chosen.push_back(best);
  }
  return chosen;
}

}  // namespace

absl::Status InsertEventRow(Database& database, int64_t job_number, const JobEvent& event) {
  std::optional<std::string> progress;
  if (event.progress) {
    progress = WriteProgress(*event.progress,
                             event.progress->end_of_epoch ? RunTimes::kInclude : RunTimes::kOmit);
  }
  if (event.published) progress = WritePublished(*event.published);
  if (event.solve) progress = WriteSolveProgress(*event.solve);
  return Run(database,
             "INSERT INTO events (job, sequence, attempt, time, type, state, text, step, "
             "progress) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
             job_number, event.sequence, int64_t{event.attempt}, absl::ToUnixNanos(event.time),
             EventTypeName(event.type), JobStateName(event.state), event.text, event.step,
             progress);
}

absl::StatusOr<std::vector<JobEvent>> ReadEventRows(Database& database, std::string_view job_id,
                                                    const EventRange& range) {
  std::vector<JobEvent> events;
  {
    VRP_ASSIGN_OR_RETURN(
        Query query, database.Prepare(Concat(
                         kSelectEvent, "AND sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?")));
    VRP_RETURN_IF_ERROR(query.Bind(job_id, range.first, range.last, range.limit));
    VRP_ASSIGN_OR_RETURN(events, EventsFromRows(database, query));
  }
  // Reads compacted_to after the events, so that its value covers all events that were thinned
  // before.
  VRP_ASSIGN_OR_RETURN(const int64_t compacted_to,
                       ReadNumber(database, "SELECT compacted_to FROM jobs WHERE id = ?", job_id));
  return FillGaps(std::move(events), range.first, compacted_to);
}

absl::Status ThinEventRows(Database& database, int64_t job_number, const EventLimits& limits) {
  VRP_ASSIGN_OR_RETURN(
      const int64_t last,
      ReadNumber(database, "SELECT last_sequence FROM jobs WHERE number = ?", job_number));
  const OlderEvents older{.job = job_number, .last = last - limits.newest};
  if (older.last < 1) return absl::OkStatus();
  VRP_ASSIGN_OR_RETURN(
      const bool progress,
      ThinSteps(database, older, EventTypeName(EventType::kProgress), limits.progress));
  VRP_ASSIGN_OR_RETURN(
      const bool checkpoints,
      ThinSteps(database, older, EventTypeName(EventType::kCheckpoint), limits.checkpoints));
  VRP_ASSIGN_OR_RETURN(const bool logs, ThinLogs(database, older, limits.logs));
  if (!progress && !checkpoints && !logs) return absl::OkStatus();
  return Run(database, "UPDATE jobs SET compacted_to = ? WHERE number = ?", older.last, job_number);
}

absl::StatusOr<History> ReadHistoryRows(Database& database, std::string_view job_id,
                                        const HistoryRange& range) {
  VRP_ASSIGN_OR_RETURN(const std::vector<Point> points, ReadPoints(database, job_id, range));
  History history;
  history.stored = static_cast<int64_t>(points.size());
  for (const Point& point : SampleEvenly(points, range.max_points)) {
    VRP_ASSIGN_OR_RETURN(Query query, database.Prepare(Concat(kSelectEvent, "AND sequence = ?")));
    VRP_RETURN_IF_ERROR(query.Bind(job_id, point.sequence));
    VRP_ASSIGN_OR_RETURN(std::vector<JobEvent> events, EventsFromRows(database, query));
    // Events thinned meanwhile are skipped.
    for (JobEvent& event : events) history.points.push_back(std::move(event));
  }
  return history;
}

}  // namespace vrp
