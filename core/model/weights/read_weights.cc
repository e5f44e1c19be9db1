#include "core/model/weights/read_weights.h"

#include <utility>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {

absl::StatusOr<SafetensorsFile> ReadWeights(const std::string& path, const ModelCard& card) {
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
  if (Sha256Hex(bytes) != card.weights_sha256) {
    return absl::DataLossError(Concat(path, ": the SHA-256 differs from that in ", kCardFile,
                                      "; publish or copy the model again"));
  }
  return SafetensorsFile::Parse(std::move(bytes), path);
}

}  // namespace vrp
