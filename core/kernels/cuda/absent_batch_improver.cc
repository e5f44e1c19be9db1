// For builds without CUDA.
#include "core/kernels/batch_improver.h"

namespace vrp {

std::unique_ptr<BatchImprover> MakeCudaBatchImprover(int32_t /*device*/) { return nullptr; }

}  // namespace vrp
