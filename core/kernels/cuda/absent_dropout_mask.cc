// For builds without CUDA.
#include "core/kernels/dropout/dropout_mask.h"

namespace vrp {

absl::Status WriteMaskOnCuda(const DropoutMask&, void*) {
  return absl::UnimplementedError("dropout: this program was built without CUDA");
}

}  // namespace vrp
