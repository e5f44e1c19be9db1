// For builds without CUDA.
#include "core/kernels/optimiser/device_optimiser.h"

namespace vrp {

absl::Status OptimiseOnCuda(const OptimiserTask&, void*) {
  return absl::UnimplementedError("optimiser: this program was built without CUDA");
}

}  // namespace vrp
