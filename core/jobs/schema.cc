#include "core/jobs/schema.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Schema of training jobs and events. Times are nanoseconds since 1970. `number` is the order of
// submission. Each step of an attempt has at most one progress event. `crashes` counts crashes of
// the daemon during the job since its last new checkpoint, which is `checkpoint_step`.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE jobs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  request_id TEXT UNIQUE,
  config_name TEXT NOT NULL,
  config_yaml TEXT NOT NULL,
  overrides TEXT NOT NULL,
  device TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  crashes INTEGER NOT NULL,
  checkpoint_step INTEGER NOT NULL,
  created INTEGER NOT NULL,
  started INTEGER,
  ended INTEGER,
  progress TEXT,
  error_code INTEGER NOT NULL,
  error_text TEXT NOT NULL,
  model TEXT NOT NULL,
  last_sequence INTEGER NOT NULL
);
CREATE INDEX jobs_by_state ON jobs (state, number);
CREATE TABLE events (
  job INTEGER NOT NULL REFERENCES jobs (number),
  sequence INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  time INTEGER NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  text TEXT NOT NULL,
  step INTEGER NOT NULL,
  progress TEXT,
  PRIMARY KEY (job, sequence)
) WITHOUT ROWID;
CREATE UNIQUE INDEX events_by_step ON events (job, attempt, step) WHERE type = 'progress';
)sql";

// Adds kinds of jobs. Separate tables hold the fields of solve jobs and their large texts (kinds:
// request, plan, answer), because some fields change each second.
constexpr std::string_view kVersion2 = R"sql(
ALTER TABLE jobs ADD COLUMN kind TEXT NOT NULL DEFAULT 'training';
DROP INDEX jobs_by_state;
CREATE INDEX jobs_by_state ON jobs (kind, state, number);
CREATE TABLE solve_jobs (
  job INTEGER PRIMARY KEY REFERENCES jobs (number),
  summary BLOB NOT NULL,
  request_sha256 TEXT NOT NULL,
  budget INTEGER NOT NULL,
  progress TEXT NOT NULL
);
CREATE TABLE solve_contents (
  job INTEGER NOT NULL REFERENCES jobs (number),
  kind TEXT NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (job, kind)
);
)sql";

// Adds priorities, labels and limits. `priority` orders the queue, before `number`. `labels` is a
// JSON object. Limits of 0 mean no limit; times are nanoseconds. `best` is the progress of the
// epoch with the lowest validation cost. `all_crashes` also counts crashes before checkpoints. All
// gaps among events up to `compacted_to` come from thinning. `deletions` holds deleted jobs whose
// files may still exist.
constexpr std::string_view kVersion3 = R"sql(
ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
ALTER TABLE jobs ADD COLUMN time_limit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN epoch_limit INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN run_time INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN end_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN best TEXT;
ALTER TABLE jobs ADD COLUMN all_crashes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN compacted_to INTEGER NOT NULL DEFAULT 0;
DROP INDEX jobs_by_state;
CREATE INDEX jobs_by_state ON jobs (kind, state, priority DESC, number);
CREATE TABLE deletions (id TEXT PRIMARY KEY) WITHOUT ROWID;
)sql";

// Adds published weights and stop requests. `published` is a JSON object that describes the weights
// of the job's last model. The model's event has the same object in its column `progress`. Jobs
// with `stop_requested` are queued before all others.
constexpr std::string_view kVersion4 = R"sql(
ALTER TABLE jobs ADD COLUMN published TEXT;
ALTER TABLE jobs ADD COLUMN stop_requested INTEGER NOT NULL DEFAULT 0;
DROP INDEX jobs_by_state;
CREATE INDEX jobs_by_state ON jobs (kind, state, stop_requested DESC, priority DESC, number);
)sql";

// Adds simulations. They have rows in solve_jobs and solve_contents too. solve_parts holds the
// parts of their results, numbered from 1.
constexpr std::string_view kVersion5 = R"sql(
CREATE TABLE solve_parts (
  job INTEGER NOT NULL REFERENCES jobs (number),
  part INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (job, part)
);
)sql";

// Adds the dataset that a simulation reads.
constexpr std::string_view kVersion6 = R"sql(
ALTER TABLE solve_jobs ADD COLUMN dataset TEXT NOT NULL DEFAULT '';
)sql";

// Adds sweeps, which have rows in solve_jobs, solve_contents and solve_parts, and their trials,
// which are training jobs. `sweep` is the sweep's name. `pause_epoch` is the epoch after which a
// trial waits for its sweep; 0 means none.
constexpr std::string_view kVersion7 = R"sql(
ALTER TABLE jobs ADD COLUMN sweep TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN pause_epoch INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX jobs_by_sweep ON jobs (sweep, trial) WHERE sweep <> '';
)sql";

// Adds where training jobs run. `threads` is what the job asks for; 0 means the daemon's share.
// `run_device` and `run_threads` are those of the job's runs; empty and 0 before the first one.
// step_times holds what `device: auto` has measured, in nanoseconds per step, by the hash of a
// configuration and of the devices.
constexpr std::string_view kVersion8 = R"sql(
ALTER TABLE jobs ADD COLUMN threads INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN run_device TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN run_threads INTEGER NOT NULL DEFAULT 0;
CREATE TABLE step_times (
  key TEXT PRIMARY KEY,
  cpu_step INTEGER NOT NULL,
  gpu_step INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

constexpr std::array<std::string_view, 8> kMigrations = {
    kVersion1, kVersion2, kVersion3, kVersion4, kVersion5, kVersion6, kVersion7, kVersion8};

absl::Status RunMigration(Database& database, std::string_view sql, int64_t to_version) {
  VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database, Durability::kFull));
  VRP_RETURN_IF_ERROR(database.Execute(std::string(sql)));
  VRP_RETURN_IF_ERROR(database.Execute(Concat(
      "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
      "INSERT OR REPLACE INTO meta VALUES ('schema_version', '",
      to_version, "')")));
  return transaction.Commit();
}

}  // namespace

std::span<const std::string_view> JobSchemaMigrations() { return kMigrations; }

absl::StatusOr<int64_t> ReadSchemaVersion(Database& database) {
  VRP_ASSIGN_OR_RETURN(
      Query tables,
      database.Prepare("SELECT count(*), coalesce(sum(name = 'meta'), 0) FROM "
                       "sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"));
  VRP_RETURN_IF_ERROR(tables.Next().status());
  if (tables.Integer(0) == 0) return 0;
  const absl::Status foreign = absl::FailedPreconditionError(Concat(
      database.path(),
      ": has no schema_version: it is not a job database of vrpd; choose another state folder"));
  if (tables.Integer(1) == 0) return foreign;
  VRP_ASSIGN_OR_RETURN(Query version,
                       database.Prepare("SELECT value FROM meta WHERE key = 'schema_version'"));
  VRP_ASSIGN_OR_RETURN(const bool row, version.Next());
  const std::optional<int64_t> number = row ? ParseInteger(version.Text(0)) : std::nullopt;
  if (!number || *number < 1) return foreign;
  return *number;
}

absl::Status Migrate(Database& database, std::span<const std::string_view> migrations) {
  const auto newest = static_cast<int64_t>(migrations.size());
  VRP_ASSIGN_OR_RETURN(const int64_t version, ReadSchemaVersion(database));
  if (version > newest) {
    return absl::FailedPreconditionError(
        Concat(database.path(), ": got schema version ", version, ", wanted ", newest,
               " or older: a newer vrpd wrote it; use that version, or choose another "
               "state folder"));
  }
  for (int64_t from = version; from < newest; ++from) {
    VRP_RETURN_IF_ERROR(RunMigration(database, migrations[static_cast<size_t>(from)], from + 1));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> IdentifyDatabase(Database& database, const std::string& new_id) {
  VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database, Durability::kFull));
  VRP_ASSIGN_OR_RETURN(Query known, database.Prepare("SELECT value FROM meta WHERE key = 'id'"));
  VRP_ASSIGN_OR_RETURN(const bool row, known.Next());
  if (row) return known.Text(0);
  VRP_ASSIGN_OR_RETURN(Query insert, database.Prepare("INSERT INTO meta VALUES ('id', ?)"));
  VRP_RETURN_IF_ERROR(insert.Bind(new_id));
  VRP_RETURN_IF_ERROR(insert.Run());
  VRP_RETURN_IF_ERROR(transaction.Commit());
  return new_id;
}

}  // namespace vrp
