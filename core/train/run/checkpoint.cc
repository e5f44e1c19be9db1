#include "core/train/run/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kTemporaryPrefix = "tmp-";
constexpr std::string_view kStateFile = "state.safetensors";
constexpr std::string_view kIndexFile = "checkpoint.json";
constexpr std::string_view kValidationCost = "validation_cost";
constexpr int64_t kMaxIndexBytes = int64_t{1} << 20;  // maximum size of checkpoint.json

// Returns the steps that have a folder, the newest first.
std::vector<int64_t> Steps(const std::string& directory) {
  std::vector<int64_t> steps;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    const std::optional<int64_t> step = ParseInteger(std::string_view(name).substr(kPrefix.size()));
    if (step.has_value() && *step >= 0) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end(), std::greater<>());
  return steps;
}

std::string FolderOf(const std::string& directory, int64_t step) {
  return Concat(directory, "/", kPrefix, step);
}

absl::Status Failed(std::string_view what, const std::string& path, const std::error_code& error) {
  return absl::ErrnoToStatus(error.value(), Concat(what, " ", path));
}

// Makes names within `directory` durable.
absl::Status SyncDirectory(const std::string& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return Failed("open", directory, {errno, std::system_category()});
  const int result = fsync(descriptor);
  const std::error_code error(errno, std::system_category());
  close(descriptor);
  return result == 0 ? absl::OkStatus() : Failed("fsync", directory, error);
}

std::string WriteIndex(const Checkpoint& checkpoint) {
  nlohmann::ordered_json json;
  json["schema_version"] = kCheckpointSchemaVersion;
  json["step"] = checkpoint.step;
  json["config_sha256"] = checkpoint.config_sha256;
  json["state_sha256"] = Sha256Hex(checkpoint.state);
  if (checkpoint.validation_cost) json[kValidationCost] = *checkpoint.validation_cost;
  json["numbers"] = checkpoint.scalars;
  return json.dump(1) + "\n";
}

absl::Status Malformed(const std::string& path, std::string_view key) {
  return absl::DataLossError(Concat(path, ": ", key, ": missing or malformed"));
}

absl::StatusOr<Checkpoint> ReadIndex(const nlohmann::json& json, const std::string& path) {
  Checkpoint checkpoint;
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto step = json.find("step");
  if (step == json.end() || !step->is_number_unsigned()) return Malformed(path, "step");
  checkpoint.step = step->get<int64_t>();
  checkpoint.config_sha256 = text("config_sha256");
  if (checkpoint.config_sha256.empty()) return Malformed(path, "config_sha256");
  const auto numbers = json.find("numbers");
  if (numbers == json.end() || !numbers->is_object()) return Malformed(path, "numbers");
  for (const auto& [key, value] : numbers->items()) {
    if (!value.is_number()) return Malformed(path, Concat("numbers.", key));
    checkpoint.scalars[key] = value.get<double>();
  }
  return checkpoint;
}

// Reads one checkpoint. Returns kFailedPrecondition if its schema is newer. Returns kDataLoss or
// other errors if it is incomplete or corrupt.
absl::StatusOr<Checkpoint> ReadCheckpoint(const std::string& folder, int64_t step) {
  const std::string index_path = Concat(folder, "/", kIndexFile);
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(index_path, kMaxIndexBytes));
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJsonText(text, index_path));
  const auto schema = json.is_object() ? json.find("schema_version") : json.end();
  if (schema == json.end() || !schema->is_number_integer())
    return Malformed(index_path, "schema_version");
  if (schema->get<int64_t>() > kCheckpointSchemaVersion) {
    return absl::FailedPreconditionError(
        Concat(index_path, ": schema_version: got ", schema->get<int64_t>(), ", wanted at most ",
               kCheckpointSchemaVersion,
               " (a newer program wrote it: continue with that program, or submit the job again)"));
  }
  VRP_ASSIGN_OR_RETURN(Checkpoint checkpoint, ReadIndex(json, index_path));
  if (checkpoint.step != step) return Malformed(index_path, "step");
  VRP_ASSIGN_OR_RETURN(checkpoint.state,
                       ReadFile(Concat(folder, "/", kStateFile), kMaxSafetensorsBytes));
  const auto hash = json.find("state_sha256");
  if (hash == json.end() || *hash != Sha256Hex(checkpoint.state)) {
    return absl::DataLossError(
        Concat(folder, "/", kStateFile, ": the SHA-256 differs from that in ", kIndexFile));
  }
  return checkpoint;
}

// A checkpoint with a validation cost.
struct Validated {
  double cost = 0;
  int64_t step = 0;
};

// Returns the checkpoints that have a validation cost, the best first, of equal ones the newest
// first.
std::vector<Validated> ByValidation(const std::string& directory) {
  std::vector<Validated> validated;
  for (const int64_t step : Steps(directory)) {
    const std::string path = Concat(FolderOf(directory, step), "/", kIndexFile);
    const absl::StatusOr<std::string> text = ReadFile(path, kMaxIndexBytes);
    if (!text.ok()) continue;
    const absl::StatusOr<nlohmann::json> json = ParseJsonText(*text, path);
    if (!json.ok() || !json->is_object()) continue;
    const auto cost = json->find(kValidationCost);
    if (cost != json->end() && cost->is_number()) {
      validated.push_back({cost->get<double>(), step});
    }
  }
  std::stable_sort(validated.begin(), validated.end(),
                   [](const Validated& a, const Validated& b) { return a.cost < b.cost; });
  return validated;
}

// Removes old checkpoints, and incomplete ones that a crash left behind.
void RemoveOld(const std::string& directory, const CheckpointRetention& retention) {
  std::error_code ignored;
  std::vector<int64_t> steps = Steps(directory);
  const auto last = static_cast<size_t>(std::max<int64_t>(retention.last, 1));
  steps.erase(steps.begin(),
              steps.begin() + static_cast<std::ptrdiff_t>(std::min(last, steps.size())));
  if (retention.best > 0 && !steps.empty()) {
    std::vector<Validated> best = ByValidation(directory);
    best.resize(std::min(best.size(), static_cast<size_t>(retention.best)));
    for (const Validated& kept : best) std::erase(steps, kept.step);
  }
  for (const int64_t step : steps) fs::remove_all(FolderOf(directory, step), ignored);
  std::vector<fs::path> temporary;
  for (fs::directory_iterator at(directory, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    if (at->path().filename().string().starts_with(kTemporaryPrefix))
      temporary.push_back(at->path());
  }
  for (const fs::path& path : temporary) fs::remove_all(path, ignored);
}

}  // namespace

absl::Status WriteCheckpoint(const std::string& directory, const Checkpoint& checkpoint,
                             const CheckpointRetention& retention) {
  for (const auto& [name, value] : checkpoint.scalars) {
    if (!std::isfinite(value))
      return absl::InternalError(Concat("checkpoint: ", name, " is not finite"));
  }
  const std::string temporary = Concat(directory, "/", kTemporaryPrefix, checkpoint.step);
  const std::string folder = FolderOf(directory, checkpoint.step);
  std::error_code error;
  fs::remove_all(temporary, error);
  if (!fs::create_directory(temporary, error)) {
    return Failed("create", temporary,
                  error ? error : std::make_error_code(std::errc::file_exists));
  }
  // Frees the disk space of a checkpoint that could not be completed.
  const absl::Cleanup remove_it = [&temporary] {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
  };
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(temporary, "/", kStateFile), checkpoint.state));
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(temporary, "/", kIndexFile), WriteIndex(checkpoint)));
  fs::remove_all(folder, error);  // one of the same step, from before an interruption
  fs::rename(temporary, folder, error);
  if (error) return Failed("rename", temporary, error);
  VRP_RETURN_IF_ERROR(SyncDirectory(directory));
  RemoveOld(directory, retention);
  return absl::OkStatus();
}

bool IsAmongBest(const std::string& directory, double validation_cost, int64_t best) {
  if (best <= 0 || !std::isfinite(validation_cost)) return false;
  const std::vector<Validated> validated = ByValidation(directory);
  if (validated.size() < static_cast<size_t>(best)) return true;
  return validation_cost < validated[static_cast<size_t>(best) - 1].cost;
}

std::vector<std::string> SupersededCheckpoints(const std::string& directory) {
  std::vector<std::string> superseded;
  bool found = false;
  for (const int64_t step : Steps(directory)) {
    const std::string folder = FolderOf(directory, step);
    if (found) superseded.push_back(folder);
    found = found || ReadCheckpoint(folder, step).ok();
  }
  return superseded;
}

bool HasCheckpoint(const std::string& directory) {
  const std::vector<int64_t> steps = Steps(directory);
  return !steps.empty() && steps.front() > 0;
}

absl::StatusOr<Checkpoint> ReadNewestCheckpoint(const std::string& directory) {
  for (const int64_t step : Steps(directory)) {
    absl::StatusOr<Checkpoint> checkpoint = ReadCheckpoint(FolderOf(directory, step), step);
    const bool newer = checkpoint.status().code() == absl::StatusCode::kFailedPrecondition;
    if (checkpoint.ok() || newer) return checkpoint;
  }
  return absl::NotFoundError(Concat(directory, ": no usable checkpoint"));
}

absl::StatusOr<int64_t> NewestCheckpointStep(const std::string& directory) {
  const absl::StatusOr<Checkpoint> checkpoint = ReadNewestCheckpoint(directory);
  if (absl::IsNotFound(checkpoint.status())) return 0;
  VRP_RETURN_IF_ERROR(checkpoint.status());
  return checkpoint->step;
}

}  // namespace vrp
