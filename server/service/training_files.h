// Checks which files on the daemon's machine a training configuration may name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/train/config/training_config.h"

namespace vrp {

// The folders that may contain the files; nullopt: any.
using DataFolders = std::optional<std::vector<std::string>>;

// Returns kInvalidArgument naming each key whose file is outside the folders, after symbolic links
// and `..` are resolved. The error does not reveal whether the file exists. Names such as
// `models/NAME/versions/N` are not files.
absl::Status CheckTrainingFiles(const TrainingConfig& config, const DataFolders& folders);

}  // namespace vrp
