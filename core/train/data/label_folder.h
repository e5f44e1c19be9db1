// The places of labels that are kept on disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vrp {

// Returns the folder for labels that are made from `data`, a name in a configuration: a subfolder
// of `labels` for a dataset, so that they can be removed with it, or else `labels`.
std::string LabelFolderOf(const std::string& labels, std::string_view data);

// Removes the labels that were made from a dataset, `datasets/{name}`. Returns the number of files.
// Returns the errors of the disk.
absl::StatusOr<int64_t> RemoveLabels(const std::string& labels, std::string_view dataset);

}  // namespace vrp
