#include "server/service/training_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "core/train/config/data_files.h"
#include "server/convert/names.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Returns the absolute path, with `..` and symbolic links resolved in the part that exists. Returns
// an empty path on an error.
fs::path RealPath(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  fs::path real = error ? fs::path() : fs::weakly_canonical(absolute, error);
  return error ? fs::path() : real;
}

bool LiesBelow(const fs::path& path, const std::string& folder) {
  const fs::path root = RealPath(folder);
  if (path.empty() || root.empty()) return false;
  const auto [end_of_root, rest] =
      std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end_of_root == root.end() && rest != path.end();
}

// Returns the files that a configuration names. Skips uploaded datasets, which callers give as
// `datasets/{name}`, not as a path.
std::vector<NamedData> NamedFiles(const TrainingConfig& config) {
  std::vector<NamedData> files = NamedDataOf(config);
  std::erase_if(files, [](const NamedData& data) { return IsDataset(data.name); });
  const absl::StatusOr<ModelReference> model =
      ParseModelName("initial_model", config.initial_model);
  if (!model.ok() || (model->version == 0 && model->alias.empty())) {
    files.push_back({"training.initial_model", config.initial_model});
  }
  return files;
}

}  // namespace

absl::Status CheckTrainingFiles(const TrainingConfig& config, const DataFolders& folders) {
  if (!folders.has_value()) return absl::OkStatus();
  std::vector<std::string> errors;
  for (const auto& [key, file] : NamedFiles(config)) {
    if (file.empty()) continue;
    const fs::path path = RealPath(file);
    const auto holds = [&](const std::string& folder) { return LiesBelow(path, folder); };
    if (std::any_of(folders->begin(), folders->end(), holds)) continue;
    errors.push_back(
        Concat(key, ": got ", Quoted(file),
               ", wanted a file below one of the folders in the daemon's option data_dirs (",
               folders->empty() ? "none" : absl::StrJoin(*folders, ", "), ")"));
  }
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

}  // namespace vrp
