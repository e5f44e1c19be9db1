#include "core/jobs/backup/backup_index.h"

#include <array>
#include <cstdint>
#include <utility>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/schema.h"
#include "core/model/weights/model_card.h"
#include "core/train/run/checkpoint.h"

namespace vrp {
namespace {

constexpr int64_t kBackupSchemaVersion = 1;

// Returns the schema versions of this program.
std::array<std::pair<const char*, int64_t>, 3> Schemas() {
  return {{{"card", kCardSchemaVersion},
           {"checkpoint", kCheckpointSchemaVersion},
           {"database", static_cast<int64_t>(JobSchemaMigrations().size())}}};
}

absl::Status MalformedIndex(std::string_view key) {
  return absl::InvalidArgumentError(
      Concat(kBackupIndexFile, ": ", key, ": missing or malformed; is this a backup of vrpd?"));
}

absl::Status CheckSchema(const nlohmann::json& object, const char* key, int64_t known,
                         std::string_view program) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return MalformedIndex(key);
  const auto version = found->get<int64_t>();
  if (version >= 1 && version <= known) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat(kBackupIndexFile, ": ", key, ": got schema version ", version, ", wanted 1 to ", known,
             ": the backup was written by ", program, "; restore it with that program"));
}

}  // namespace

std::string WriteBackupIndex(const BackupIndex& index) {
  nlohmann::ordered_json json;
  json["schema_version"] = kBackupSchemaVersion;
  json["program"] = index.program;
  json["created"] = absl::FormatTime(absl::RFC3339_sec, index.created, absl::UTCTimeZone());
  for (const auto& [name, version] : Schemas()) json["schemas"][name] = version;
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

absl::StatusOr<BackupIndex> ParseBackupIndex(std::string_view text) {
  VRP_ASSIGN_OR_RETURN(
      const nlohmann::json json,
      ParseJsonText(
          text, kBackupIndexFile,
          {.max_bytes = 1 << 16, .max_depth = 3, .max_containers = 10, .max_values = 100}));
  if (!json.is_object()) return MalformedIndex("content");
  BackupIndex index;
  const auto program = json.find("program");
  if (program == json.end() || !program->is_string()) return MalformedIndex("program");
  index.program = Escaped(program->get<std::string>());
  VRP_RETURN_IF_ERROR(CheckSchema(json, "schema_version", kBackupSchemaVersion, index.program));
  const auto created = json.find("created");
  if (created == json.end() || !created->is_string() ||
      !absl::ParseTime(absl::RFC3339_sec, created->get<std::string>(), &index.created, nullptr)) {
    return MalformedIndex("created");
  }
  const auto schemas = json.find("schemas");
  if (schemas == json.end() || !schemas->is_object()) return MalformedIndex("schemas");
  for (const auto& [name, version] : Schemas()) {
    VRP_RETURN_IF_ERROR(CheckSchema(*schemas, name, version, index.program));
  }
  return index;
}

}  // namespace vrp
