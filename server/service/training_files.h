// Checks the files on the daemon's machine that a training configuration names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/train/config/training_config.h"

namespace vrp {

// The folders that may contain the files; nullopt allows any folder.
using DataFolders = std::optional<std::vector<std::string>>;

// Returns kInvalidArgument naming each key whose file is outside the folders, after symbolic links
// and `..` are resolved. The error does not reveal whether the file exists. Names such as
// `models/NAME/versions/N` are not files.
absl::Status CheckTrainingFiles(const TrainingConfig& config, const DataFolders& folders);

}  // namespace vrp
