#include "core/train/data/label_folder.h"

#include <filesystem>
#include <system_error>

#include "core/base/text.h"
#include "core/train/config/data_files.h"

namespace vrp {

namespace fs = std::filesystem;

std::string LabelFolderOf(const std::string& labels, std::string_view data) {
  // Names of datasets have no dot, names of label files have one.
  return IsDataset(data) ? Concat(labels, "/", data.substr(kDatasetPrefix.size())) : labels;
}

absl::StatusOr<int64_t> RemoveLabels(const std::string& labels, std::string_view dataset) {
  if (!IsDataset(dataset)) return 0;
  const std::string folder = LabelFolderOf(labels, dataset);
  int64_t files = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    files += entry.is_regular_file(error) ? 1 : 0;
  }
  fs::remove_all(folder, error);
  if (!error) return files;
  return absl::UnavailableError(
      Concat(dataset, ": its labels cannot be removed: ", error.message(), "; try again"));
}

}  // namespace vrp
