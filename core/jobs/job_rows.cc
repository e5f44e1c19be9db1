#include "core/jobs/job_rows.h"

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/progress_json.h"
#include "core/jobs/solve_rows.h"

namespace vrp {
namespace {

constexpr char kSelectJob[] =
    "SELECT number, id, request_id, config_name, config_yaml, overrides, device, state, attempt, "
    "crashes, checkpoint_step, created, started, ended, jobs.progress, error_code, error_text, "
    "model, last_sequence, kind, summary, request_sha256, budget, solve_jobs.progress, dataset, "
    "priority, "
    "labels, time_limit, epoch_limit, run_time, end_reason, best, all_crashes, published, "
    "stop_requested, sweep, trial, pause_epoch, threads, run_device, run_threads, CASE WHEN state "
    "= 'QUEUED' THEN (SELECT count(*) "
    "FROM jobs AS other WHERE "
    "other.kind = jobs.kind AND other.state = 'QUEUED' AND "
    "(-other.stop_requested, -other.priority, other.number) <= "
    "(-jobs.stop_requested, -jobs.priority, jobs.number)) ELSE 0 END "
    "FROM jobs LEFT JOIN solve_jobs ON job = number ";
constexpr int kSolveColumns = 20;     // index of a solve job's first column
constexpr int kTrainingColumns = 25;  // index of a training job's first column

// SQL condition that a job has each wanted label. Its parameter is a JSON object of labels.
constexpr char kHasLabels[] =
    "NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (SELECT 1 FROM "
    "json_each(jobs.labels) AS own WHERE own.key = wanted.key AND own.value = wanted.value))";

std::optional<int64_t> FromTime(absl::Time time) {
  if (time == absl::InfinitePast()) return std::nullopt;
  return absl::ToUnixNanos(time);
}

absl::Time ToTime(std::optional<int64_t> nanoseconds) {
  return nanoseconds ? absl::FromUnixNanos(*nanoseconds) : absl::InfinitePast();
}

// Returns the stored form of a limit; 0 means no limit.
int64_t FromLimit(absl::Duration limit) {
  return limit == absl::InfiniteDuration() ? 0 : absl::ToInt64Nanoseconds(limit);
}

std::optional<std::string> FromProgress(const std::optional<TrainingProgress>& progress) {
  if (!progress) return std::nullopt;
  return WriteProgress(*progress);
}

absl::StatusOr<std::optional<TrainingProgress>> ToProgress(Database& database,
                                                           std::string_view column,
                                                           const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return ParseProgress(*text, Concat(database.path(), ": jobs.", column));
}

absl::Status DamagedJobError(Database& database, std::string_view source, std::string_view got) {
  return absl::DataLossError(Concat(database.path(), ": ", source, ": got ", Quoted(got),
                                    ", which vrpd does not write; the file is damaged: restore a "
                                    "copy of it, without its -wal and -shm"));
}

std::string FromTexts(const std::vector<std::string>& texts) {
  // All texts are UTF-8 here, because ParseTrainingConfig refuses others.
  return nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<std::vector<std::string>> ToTexts(Database& database, const std::string& text) {
  const absl::StatusOr<nlohmann::json> json = ParseJsonText(text, "overrides");
  if (!json.ok() || !json->is_array()) return DamagedJobError(database, "jobs.overrides", text);
  std::vector<std::string> texts;
  for (const nlohmann::json& entry : *json) {
    if (!entry.is_string()) return DamagedJobError(database, "jobs.overrides", text);
    texts.push_back(entry.get<std::string>());
  }
  return texts;
}

std::string FromLabels(const std::map<std::string, std::string>& labels) {
  const nlohmann::json json(labels);
  // All labels are UTF-8 here, because CheckLabels refuses others.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<std::map<std::string, std::string>> ToLabels(Database& database,
                                                            const std::string& text) {
  const absl::StatusOr<nlohmann::json> json = ParseJsonText(text, "labels");
  if (!json.ok() || !json->is_object()) return DamagedJobError(database, "jobs.labels", text);
  std::map<std::string, std::string> labels;
  for (const auto& [key, value] : json->items()) {
    if (!value.is_string()) return DamagedJobError(database, "jobs.labels", text);
    labels[key] = value.get<std::string>();
  }
  return labels;
}

absl::Status ReadTrainingColumns(Database& database, const Query& row, JobRecord& record) {
  int column = kTrainingColumns;
  Job& job = record.job;
  job.spec.priority = static_cast<int32_t>(row.Integer(column++));
  VRP_ASSIGN_OR_RETURN(job.spec.labels, ToLabels(database, row.Text(column++)));
  const int64_t limit = row.Integer(column++);
  if (limit > 0) job.spec.time_limit = absl::Nanoseconds(limit);
  job.spec.epoch_limit = row.Integer(column++);
  job.run_time = absl::Nanoseconds(row.Integer(column++));
  const std::string end_text = row.Text(column++);
  const std::optional<TrainingEnd> end = ParseTrainingEnd(end_text);
  if (!end) return DamagedJobError(database, "jobs.end_reason", end_text);
  job.end = *end;
  VRP_ASSIGN_OR_RETURN(job.best, ToProgress(database, "best", row.OptionalText(column++)));
  record.all_crashes = static_cast<int32_t>(row.Integer(column++));
  if (const std::optional<std::string> published = row.OptionalText(column++)) {
    VRP_ASSIGN_OR_RETURN(job.published,
                         ParsePublished(*published, Concat(database.path(), ": jobs.published")));
  }
  job.stop_requested = row.Integer(column++) != 0;
  job.spec.sweep = row.Text(column++);
  job.spec.trial = static_cast<int32_t>(row.Integer(column++));
  job.spec.pause_epoch = row.Integer(column++);
  job.spec.threads = static_cast<int32_t>(row.Integer(column++));
  job.place.device = row.Text(column++);
  job.place.threads = static_cast<int32_t>(row.Integer(column++));
  job.queue_position = row.Integer(column++);
  return absl::OkStatus();
}

absl::StatusOr<JobRecord> JobFromRow(Database& database, const Query& row) {
  JobRecord record;
  Job& job = record.job;
  record.number = row.Integer(0);
  job.id = row.Text(1);
  job.request_id = row.Text(2);
  job.spec.config_name = row.Text(3);
  job.spec.config_yaml = row.Text(4);
  VRP_ASSIGN_OR_RETURN(job.spec.overrides, ToTexts(database, row.Text(5)));
  job.spec.device = row.Text(6);
  const std::optional<JobState> state = ParseJobState(row.Text(7));
  if (!state) return DamagedJobError(database, "jobs.state", row.Text(7));
  job.state = *state;
  job.attempt = static_cast<int32_t>(row.Integer(8));
  record.crashes = static_cast<int32_t>(row.Integer(9));
  record.checkpoint_step = row.Integer(10);
  job.created = ToTime(row.Integer(11));
  job.started = ToTime(row.OptionalInteger(12));
  job.ended = ToTime(row.OptionalInteger(13));
  VRP_ASSIGN_OR_RETURN(job.progress, ToProgress(database, "progress", row.OptionalText(14)));
  job.error = absl::Status(static_cast<absl::StatusCode>(row.Integer(15)), row.Text(16));
  job.model = row.Text(17);
  job.last_sequence = row.Integer(18);
  const std::optional<JobKind> kind = ParseJobKind(row.Text(19));
  if (!kind) return DamagedJobError(database, "jobs.kind", row.Text(19));
  job.kind = *kind;
  if (HasRequest(job.kind)) {
    VRP_ASSIGN_OR_RETURN(job.solve, SolvePartFromRow(database, row, kSolveColumns));
  }
  VRP_RETURN_IF_ERROR(ReadTrainingColumns(database, row, record));
  return record;
}

absl::StatusOr<std::vector<JobRecord>> JobsFromRows(Database& database, Query& query) {
  std::vector<JobRecord> records;
  while (true) {
    VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
    if (!row) return records;
    VRP_ASSIGN_OR_RETURN(JobRecord record, JobFromRow(database, query));
    records.push_back(std::move(record));
  }
}

template <typename... Values>
absl::StatusOr<std::vector<JobRecord>> SelectJobs(Database& database, std::string_view where,
                                                  const Values&... values) {
  VRP_ASSIGN_OR_RETURN(Query query, database.Prepare(Concat(kSelectJob, where)));
  VRP_RETURN_IF_ERROR(query.Bind(values...));
  return JobsFromRows(database, query);
}

absl::StatusOr<std::optional<JobRecord>> FirstOrNone(
    absl::StatusOr<std::vector<JobRecord>> records) {
  if (!records.ok()) return records.status();
  if (records->empty()) return std::nullopt;
  return std::move(records->front());
}

}  // namespace

absl::StatusOr<int64_t> InsertJobRow(Database& database, const JobRecord& record) {
  const Job& job = record.job;
  std::optional<std::string> request_id;  // null if empty, because many jobs may have none
  if (!job.request_id.empty()) request_id = job.request_id;
  VRP_ASSIGN_OR_RETURN(
      Query query,
      database.Prepare(
          "INSERT INTO jobs (id, request_id, config_name, config_yaml, overrides, device, state, "
          "attempt, crashes, checkpoint_step, created, error_code, error_text, model, "
          "last_sequence, kind, priority, labels, time_limit, epoch_limit, sweep, trial, "
          "pause_epoch, threads) VALUES "
          "(?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, 0, '', '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
          "RETURNING number"));
  VRP_RETURN_IF_ERROR(query.Bind(
      job.id, request_id, job.spec.config_name, job.spec.config_yaml, FromTexts(job.spec.overrides),
      job.spec.device, JobStateName(job.state), absl::ToUnixNanos(job.created), job.last_sequence,
      JobKindName(job.kind), int64_t{job.spec.priority}, FromLabels(job.spec.labels),
      FromLimit(job.spec.time_limit), job.spec.epoch_limit, job.spec.sweep, int64_t{job.spec.trial},
      job.spec.pause_epoch, int64_t{job.spec.threads}));
  VRP_RETURN_IF_ERROR(query.Next().status());
  const int64_t number = query.Integer(0);
  if (HasRequest(job.kind)) {
    VRP_RETURN_IF_ERROR(InsertSolveRow(database, number, job.solve));
  }
  return number;
}

absl::Status UpdateJobRow(Database& database, const JobRecord& record) {
  const Job& job = record.job;
  VRP_ASSIGN_OR_RETURN(
      Query query,
      database.Prepare(
          "UPDATE jobs SET state = ?, attempt = ?, crashes = ?, checkpoint_step = ?, started = ?, "
          "ended = ?, progress = ?, error_code = ?, error_text = ?, model = ?, last_sequence = ?, "
          "run_time = ?, end_reason = ?, best = ?, all_crashes = ?, published = ?, "
          "stop_requested = ?, pause_epoch = ?, run_device = ?, run_threads = ? WHERE number = ?"));
  std::optional<std::string> published;
  if (job.published) published = WritePublished(*job.published);
  VRP_RETURN_IF_ERROR(query.Bind(
      JobStateName(job.state), int64_t{job.attempt}, int64_t{record.crashes},
      record.checkpoint_step, FromTime(job.started), FromTime(job.ended),
      FromProgress(job.progress), int64_t{job.error.raw_code()}, FromAbsl(job.error.message()),
      job.model, job.last_sequence, absl::ToInt64Nanoseconds(job.run_time),
      TrainingEndName(job.end), FromProgress(job.best), int64_t{record.all_crashes}, published,
      int64_t{job.stop_requested}, job.spec.pause_epoch, job.place.device,
      int64_t{job.place.threads}, record.number));
  VRP_RETURN_IF_ERROR(query.Run());
  if (!HasRequest(job.kind)) return absl::OkStatus();
  return UpdateSolveRow(database, record.number, job.solve);
}

absl::StatusOr<std::optional<JobRecord>> FindJobRow(Database& database, std::string_view id) {
  return FirstOrNone(SelectJobs(database, "WHERE id = ?", id));
}

absl::StatusOr<std::optional<JobRecord>> FindJobRowByRequest(Database& database,
                                                             std::string_view request_id) {
  return FirstOrNone(SelectJobs(database, "WHERE request_id = ?", request_id));
}

absl::StatusOr<std::vector<JobRecord>> ReadQueuedRows(Database& database, JobKind kind,
                                                      const QueueRange& range) {
  return SelectJobs(database,
                    "WHERE kind = ? AND state = 'QUEUED' ORDER BY stop_requested DESC, "
                    "priority DESC, number LIMIT ? OFFSET ?",
                    JobKindName(kind), range.limit, range.first);
}

absl::StatusOr<int64_t> CountWaitingRows(Database& database, JobKind kind) {
  VRP_ASSIGN_OR_RETURN(Query query, database.Prepare("SELECT count(*) FROM jobs WHERE kind = ? AND "
                                                     "state IN ('QUEUED', 'PAUSING', 'PAUSED')"));
  VRP_RETURN_IF_ERROR(query.Bind(JobKindName(kind)));
  VRP_RETURN_IF_ERROR(query.Next().status());
  return query.Integer(0);
}

absl::StatusOr<int64_t> ReadQueuePosition(Database& database, int64_t job_number) {
  VRP_ASSIGN_OR_RETURN(const std::optional<JobRecord> record,
                       FirstOrNone(SelectJobs(database, "WHERE number = ?", job_number)));
  return record ? record->job.queue_position : 0;
}

absl::StatusOr<std::vector<JobCount>> CountJobRows(Database& database) {
  VRP_ASSIGN_OR_RETURN(
      Query query, database.Prepare("SELECT kind, state, count(*) FROM jobs GROUP BY kind, state"));
  std::vector<JobCount> counts;
  while (true) {
    VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
    if (!row) return counts;
    const std::optional<JobKind> kind = ParseJobKind(query.Text(0));
    const std::optional<JobState> state = ParseJobState(query.Text(1));
    if (!kind) return DamagedJobError(database, "jobs.kind", query.Text(0));
    if (!state) return DamagedJobError(database, "jobs.state", query.Text(1));
    counts.push_back({.kind = *kind, .state = *state, .jobs = query.Integer(2)});
  }
}

absl::StatusOr<std::vector<JobRecord>> ReadActiveJobRows(Database& database, JobKind kind) {
  return SelectJobs(database,
                    "WHERE kind = ? AND state IN ('PREPARING', 'RUNNING', 'PAUSING', 'CANCELLING', "
                    "'STOPPING') ORDER BY number",
                    JobKindName(kind));
}

absl::StatusOr<std::vector<JobRecord>> ReadTrialRows(Database& database, std::string_view sweep) {
  return SelectJobs(database, "WHERE sweep = ? ORDER BY trial", sweep);
}

absl::StatusOr<std::vector<JobRecord>> ReadJobRows(Database& database, const JobRange& range) {
  if (range.labels.empty()) {
    return SelectJobs(database, "WHERE kind = ? AND number < ? ORDER BY number DESC LIMIT ?",
                      JobKindName(range.kind), range.before, range.limit);
  }
  return SelectJobs(
      database,
      Concat("WHERE kind = ? AND number < ? AND ", kHasLabels, " ORDER BY number DESC LIMIT ?"),
      JobKindName(range.kind), range.before, FromLabels(range.labels), range.limit);
}

absl::Status DeleteJobRows(Database& database, int64_t job_number) {
  for (const char* sql :
       {"DELETE FROM solve_parts WHERE job = ?", "DELETE FROM solve_contents WHERE job = ?",
        "DELETE FROM solve_jobs WHERE job = ?", "DELETE FROM events WHERE job = ?",
        "DELETE FROM jobs WHERE number = ?"}) {
    VRP_ASSIGN_OR_RETURN(Query query, database.Prepare(sql));
    VRP_RETURN_IF_ERROR(query.Bind(job_number));
    VRP_RETURN_IF_ERROR(query.Run());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<StepTimes>> FindStepTimesRow(Database& database,
                                                          std::string_view key) {
  VRP_ASSIGN_OR_RETURN(Query query,
                       database.Prepare("SELECT cpu_step, gpu_step FROM step_times WHERE key = ?"));
  VRP_RETURN_IF_ERROR(query.Bind(key));
  VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
  if (!row) return std::nullopt;
  return StepTimes{.cpu = 1e-9 * static_cast<double>(query.Integer(0)),
                   .gpu = 1e-9 * static_cast<double>(query.Integer(1))};
}

absl::Status WriteStepTimesRow(Database& database, std::string_view key, const StepTimes& times) {
  VRP_ASSIGN_OR_RETURN(
      Query query, database.Prepare("INSERT OR REPLACE INTO step_times (key, cpu_step, gpu_step) "
                                    "VALUES (?, ?, ?)"));
  VRP_RETURN_IF_ERROR(query.Bind(key, absl::ToInt64Nanoseconds(absl::Seconds(times.cpu)),
                                 absl::ToInt64Nanoseconds(absl::Seconds(times.gpu))));
  return query.Run();
}

absl::Status AddDeletionRow(Database& database, std::string_view job_id) {
  VRP_ASSIGN_OR_RETURN(Query query,
                       database.Prepare("INSERT OR IGNORE INTO deletions (id) VALUES (?)"));
  VRP_RETURN_IF_ERROR(query.Bind(job_id));
  return query.Run();
}

absl::Status RemoveDeletionRow(Database& database, std::string_view job_id) {
  VRP_ASSIGN_OR_RETURN(Query query, database.Prepare("DELETE FROM deletions WHERE id = ?"));
  VRP_RETURN_IF_ERROR(query.Bind(job_id));
  return query.Run();
}

absl::StatusOr<std::vector<std::string>> ReadDeletionRows(Database& database) {
  VRP_ASSIGN_OR_RETURN(Query query, database.Prepare("SELECT id FROM deletions"));
  std::vector<std::string> ids;
  while (true) {
    VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
    if (!row) return ids;
    ids.push_back(query.Text(0));
  }
}

}  // namespace vrp
