// Reads a model's weights and compares them with its card.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/model/weights/model_card.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

// Reads the file `path`. Returns kDataLoss if its digest is not card.weights_sha256, and the errors
// of ReadFile and SafetensorsFile::Parse.
absl::StatusOr<SafetensorsFile> ReadWeights(const std::string& path, const ModelCard& card);

}  // namespace vrp
