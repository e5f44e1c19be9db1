// Model folders on disk: which versions there are, and whether one can be used. Stateless;
// thread-safe; blocks on the disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/weights/model_card.h"

namespace vrp {

inline constexpr int32_t kMaxModelVersion = 999'999'999;
inline constexpr size_t kMaxModelNameLength = 64;

struct ModelVersion {
  std::string name;
  int32_t version = 0;  // from 1
  std::string directory;
  ModelCard card;
};

// How callers name a version.
struct ModelReference {
  std::string name;
  int32_t version = 0;     // 0: what the alias names, or the newest
  std::string alias = {};  // empty: none

  bool operator==(const ModelReference&) const = default;
};

// Letters, digits, '-', '_' and '.', 1 to 64 of them, beginning with a letter or digit: always a
// safe folder name.
absl::Status CheckModelName(std::string_view name);

// "models/{name}/versions/{n}".
std::string ModelResourceName(std::string_view name, int32_t version);

// What lies in one models folder.
struct ModelFolderScan {
  std::vector<ModelVersion> versions;  // by name, newest first
  std::vector<std::string> problems;   // a line for each folder that holds no usable model
};
ModelFolderScan ScanModels(const std::string& root);

// The numbers of the folders `root/{name}/{number}`, usable or not, newest first. Empty where there
// is no such model.
std::vector<int32_t> ListVersionNumbers(const std::string& root, std::string_view name);

// Reads the card of one version. Its folder and files must lie within `root` once symbolic links
// are followed.
absl::StatusOr<ModelVersion> ReadModelVersion(const std::string& root, std::string_view name,
                                              int32_t version);

// Reads the card that lies in `directory`; the weights must be there too. Both must be regular
// files in `directory` once symbolic links are followed.
absl::StatusOr<ModelCard> ReadModelFiles(const std::string& directory);

// kDataLoss, with the file, the SHA-256 that it has and the one that its card states, when they
// differ. Reads all of it.
absl::Status CheckWeights(const std::string& directory, const ModelCard& card);

}  // namespace vrp
