// Which files of the daemon's machine a training's configuration may name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/train/config/training_config.h"

namespace vrp {

// The folders below which they may lie; nullopt: anywhere.
using DataFolders = std::optional<std::vector<std::string>>;

// kInvalidArgument names each key whose file lies elsewhere, symbolic links and `..` followed.
// Whether the file is there is not told of. `models/NAME/versions/N` is no file.
absl::Status CheckTrainingFiles(const TrainingConfig& config, const DataFolders& folders);

}  // namespace vrp
