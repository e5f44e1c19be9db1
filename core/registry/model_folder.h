// Reads model folders on disk. Stateless; thread-safe; blocks on the disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/weights/model_card.h"

namespace vrp {

inline constexpr int32_t kMaxModelVersion = 999'999'999;  // largest version number
inline constexpr size_t kMaxModelNameLength = 64;         // characters

// A version of a model on disk.
struct ModelVersion {
  std::string name;
  int32_t version = 0;  // from 1 to kMaxModelVersion
  std::string directory;
  ModelCard card;
};

// A caller's reference to a version.
struct ModelReference {
  std::string name;
  int32_t version = 0;     // 0 means the alias's version, or the newest one without an alias
  std::string alias = {};  // empty if there is none

  bool operator==(const ModelReference&) const = default;
};

// Checks a name: 1 to 64 letters, digits, '-', '_' and '.', beginning with a letter or digit. These
// rules make every name a safe folder name.
absl::Status CheckModelName(std::string_view name);

// Returns "models/{name}/versions/{n}".
std::string ModelResourceName(std::string_view name, int32_t version);

// Returns kFailedPrecondition naming the version if it is a model that plans
// no routes: of dispatch or of habits.
absl::Status CheckPlansRoutes(const ModelVersion& version);

// The content of one models folder.
struct ModelFolderScan {
  std::vector<ModelVersion> versions;  // sorted by name, newest first
  std::vector<std::string> problems;   // one line per folder or file without a usable model
};
// Reads all models in `root`. Skips files and hidden folders.
ModelFolderScan ScanModels(const std::string& root);

// Returns the numbers of the entries `root/{name}/{number}`, usable or not, newest first. Returns
// none if there is no such model.
std::vector<int32_t> ListVersionNumbers(const std::string& root, std::string_view name);

// Reads the card of one version. The version's folder, with symbolic links resolved, must lie
// within `root`. Returns kInvalidArgument for a malformed name, kNotFound if the folder is absent,
// kFailedPrecondition if it is elsewhere, or an error of ReadModelFiles.
absl::StatusOr<ModelVersion> ReadModelVersion(const std::string& root, std::string_view name,
                                              int32_t version);

// Reads the card in `directory`. The card and the weights, with symbolic links resolved, must be
// regular files within `directory`. Returns kNotFound if a file is absent, kFailedPrecondition if
// it is elsewhere or not regular, or an error of ReadFile or ParseModelCard.
absl::StatusOr<ModelCard> ReadModelFiles(const std::string& directory);

// Compares the weights' SHA-256 with the card's. Returns kDataLoss naming the file and both digests
// if they differ, and the errors of ReadFile. Reads the whole file.
absl::Status CheckWeights(const std::string& directory, const ModelCard& card);

}  // namespace vrp
