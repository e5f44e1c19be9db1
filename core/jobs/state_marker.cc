#include "core/jobs/state_marker.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/schema.h"
#include "core/jobs/sqlite.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMarkerSchemaVersion = 1;
constexpr int64_t kMaxMarkerBytes = 4096;  // maximum size of the marker

std::string MarkerPath(const StateFolder& folder) {
  return (fs::path(folder.path()) / kStateMarkerFile).string();
}

// Returns a path that proves that the folder held jobs; empty if there is none.
std::string FindTraceOfJobs(const StateFolder& folder) {
  std::error_code error;
  if (fs::exists(MarkerPath(folder), error)) return std::string(kStateMarkerFile);
  const fs::directory_iterator jobs(folder.JobsPath(), error);
  if (error || jobs == fs::directory_iterator()) return "";
  return Concat("jobs/", Escaped(jobs->path().filename().string()));
}

absl::Status DatabaseLost(const StateFolder& folder, std::string_view state,
                          std::string_view trace) {
  return absl::DataLossError(Concat(
      folder.DatabasePath(), ": ", state, ", although jobs were stored here (", trace,
      " exists): restore a copy of jobs.db, without files jobs.db-wal and jobs.db-shm next to "
      "it; or restore a backup into another folder (vrpd --restore); or run vrpd "
      "--forget-jobs --state-dir ",
      folder.path(), ", to move the remains of the jobs aside and begin without jobs"));
}

// Returns the marker's id. Returns nullopt if the marker is absent or damaged, so that the jobs
// stay usable without an intact marker.
absl::StatusOr<std::optional<std::string>> ReadMarkedId(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path, kMaxMarkerBytes);
  if (!text.ok()) return std::nullopt;
  const absl::StatusOr<nlohmann::json> json = ParseJsonText(*text, path, {.max_depth = 2});
  if (!json.ok() || !json->is_object()) return std::nullopt;
  const auto version = json->find("schema_version");
  const auto id = json->find("id");
  if (version == json->end() || !version->is_number_unsigned()) return std::nullopt;
  if (version->get<int64_t>() > kMarkerSchemaVersion) {
    return absl::FailedPreconditionError(Concat(
        path, ": got schema version ", version->get<int64_t>(), ", wanted ", kMarkerSchemaVersion,
        ": a newer vrpd wrote it; use that version, or choose another state folder"));
  }
  if (id == json->end() || !id->is_string()) return std::nullopt;
  return id->get<std::string>();
}

absl::Status WriteMarker(const std::string& path, const std::string& id, absl::Time now) {
  nlohmann::ordered_json json;
  json["schema_version"] = kMarkerSchemaVersion;
  json["id"] = id;
  json["created"] = absl::FormatTime(absl::RFC3339_sec, now, absl::UTCTimeZone());
  return AtomicWriteFile(path, json.dump(1) + "\n");
}

}  // namespace

absl::Status CheckDatabaseNotLost(const StateFolder& folder) {
  const std::string trace = FindTraceOfJobs(folder);
  if (trace.empty()) return absl::OkStatus();
  std::error_code error;
  const fs::file_status status = fs::status(folder.DatabasePath(), error);
  if (status.type() == fs::file_type::not_found) return DatabaseLost(folder, "is missing", trace);
  // If an empty database were opened, SQLite would remove the -wal file, which may still hold jobs.
  if (fs::is_regular_file(status) && fs::file_size(folder.DatabasePath(), error) == 0) {
    return DatabaseLost(folder, "is empty", trace);
  }
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                       Database::Open(folder.DatabasePath()));
  VRP_ASSIGN_OR_RETURN(const int64_t version, ReadSchemaVersion(*database));
  return version == 0 ? DatabaseLost(folder, "has no tables", trace) : absl::OkStatus();
}

absl::Status WriteOrCheckMarker(const StateFolder& folder, JobStore& store, absl::Time now) {
  const std::string path = MarkerPath(folder);
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> marked, ReadMarkedId(path));
  VRP_ASSIGN_OR_RETURN(const std::string id, store.Identify(marked ? *marked : NewId()));
  if (!marked) return WriteMarker(path, id, now);
  if (id == *marked) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat(folder.DatabasePath(), ": belongs to state folder ", Quoted(id), ", wanted ",
             Quoted(*marked), " of ", path,
             ": restore this folder's own database, or remove state.json to use this database"));
}

}  // namespace vrp
