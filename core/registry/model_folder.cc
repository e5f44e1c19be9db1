#include "core/registry/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/model/weights/safetensors.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Parses a version number in canonical form ("1", "27"), so that no two folders mean the same
// version.
std::optional<int32_t> ParseVersionNumber(std::string_view text) {
  const bool canonical = !text.empty() && text.front() != '0' &&
                         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  const std::optional<int64_t> number = canonical ? ParseInteger(text) : std::nullopt;
  if (!number || *number > kMaxModelVersion) return std::nullopt;
  return static_cast<int32_t>(*number);
}

// Returns the sorted names in `folder`; empty if it cannot be read.
std::vector<std::string> EntryNames(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  while (!error && entry != fs::directory_iterator()) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Resolves the symbolic links of `path`. Returns an error unless the result is in `root`.
absl::StatusOr<fs::path> ResolveWithin(const fs::path& root, const fs::path& path) {
  std::error_code error;
  const fs::path real_root = fs::canonical(root, error);
  if (error) return absl::NotFoundError(Concat(root.string(), ": ", error.message()));
  const fs::path real = fs::canonical(path, error);
  if (error) return absl::NotFoundError(Concat(path.string(), ": ", error.message()));
  const auto [root_end, rest] =
      std::mismatch(real_root.begin(), real_root.end(), real.begin(), real.end());
  if (root_end != real_root.end()) {
    return absl::FailedPreconditionError(
        Concat(path.string(), ": leads through a symbolic link to ", real.string(), ", outside ",
               real_root.string(), "; copy the files into that folder"));
  }
  return real;
}

absl::Status CheckFileWithin(const fs::path& root, const fs::path& path) {
  VRP_ASSIGN_OR_RETURN(const fs::path real, ResolveWithin(root, path));
  std::error_code error;
  if (fs::is_regular_file(real, error)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat(path.string(), ": is not a regular file; copy the model's file to this path"));
}

void ScanOneModel(const std::string& root, const std::string& name, ModelFolderScan& scan) {
  const fs::path folder = fs::path(root) / name;
  for (const std::string& entry : EntryNames(folder)) {
    if (!ParseVersionNumber(entry)) {
      scan.problems.push_back(
          Concat((folder / entry).string(), ": is not a version number (1, 2, ...)"));
    }
  }
  for (const int32_t number : ListVersionNumbers(root, name)) {
    absl::StatusOr<ModelVersion> version = ReadModelVersion(root, name, number);
    if (version.ok()) {
      scan.versions.push_back(*std::move(version));
    } else {
      scan.problems.push_back(std::string(version.status().message()));
    }
  }
}

}  // namespace

absl::Status CheckModelName(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= kMaxModelNameLength &&
                    absl::ascii_isalnum(name.front()) &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
                    });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("model name: got ", Quoted(name), ", wanted 1 to ", kMaxModelNameLength,
             " letters, digits, '-', '_' and '.', beginning with a letter or digit"));
}

std::string ModelResourceName(std::string_view name, int32_t version) {
  return Concat("models/", name, "/versions/", version);
}

absl::Status CheckPlansRoutes(const ModelVersion& version) {
  const std::string_view kind = KindWithoutRoutes(version.card);
  if (kind.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(Concat(ModelResourceName(version.name, version.version),
                                              ": is ", kind, "; name another model"));
}

ModelFolderScan ScanModels(const std::string& root) {
  ModelFolderScan scan;
  for (const std::string& name : EntryNames(root)) {
    std::error_code error;
    // Files (a README) and hidden folders (the staging area) are not models.
    if (name.front() == '.' || !fs::is_directory(fs::path(root) / name, error)) continue;
    if (CheckModelName(name).ok()) {
      ScanOneModel(root, name, scan);
    } else {
      scan.problems.push_back(Concat((fs::path(root) / name).string(),
                                     ": is not a model name (1 to 64 letters, digits, '-', '_' and "
                                     "'.', beginning with a letter or digit)"));
    }
  }
  return scan;
}

std::vector<int32_t> ListVersionNumbers(const std::string& root, std::string_view name) {
  std::vector<int32_t> numbers;
  for (const std::string& entry : EntryNames(fs::path(root) / name)) {
    if (const std::optional<int32_t> number = ParseVersionNumber(entry)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  return numbers;
}

absl::StatusOr<ModelVersion> ReadModelVersion(const std::string& root, std::string_view name,
                                              int32_t version) {
  VRP_RETURN_IF_ERROR(CheckModelName(name));
  const fs::path directory = fs::path(root) / name / Concat(version);
  VRP_RETURN_IF_ERROR(ResolveWithin(root, directory).status());
  VRP_ASSIGN_OR_RETURN(ModelCard card, ReadModelFiles(directory.string()));
  return ModelVersion{std::string(name), version, directory.string(), std::move(card)};
}

absl::StatusOr<ModelCard> ReadModelFiles(const std::string& directory) {
  const std::string card_path = (fs::path(directory) / kCardFile).string();
  VRP_RETURN_IF_ERROR(CheckFileWithin(directory, card_path));
  VRP_RETURN_IF_ERROR(CheckFileWithin(directory, fs::path(directory) / kWeightsFile));
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(card_path, kMaxCardBytes));
  return ParseModelCard(text, card_path);
}

absl::Status CheckWeights(const std::string& directory, const ModelCard& card) {
  const std::string path = (fs::path(directory) / kWeightsFile).string();
  VRP_ASSIGN_OR_RETURN(const std::string weights, ReadFile(path, kMaxSafetensorsBytes));
  const std::string got = Sha256Hex(weights);
  if (got == card.weights_sha256) return absl::OkStatus();
  return absl::DataLossError(
      Concat(path, ": got SHA-256 ", got, ", wanted that in ", kCardFile, ", which is ",
             card.weights_sha256.empty() ? "absent" : card.weights_sha256,
             "; the file was changed or cut off: publish or copy the model again"));
}

}  // namespace vrp
