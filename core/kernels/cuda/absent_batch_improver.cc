// For builds without CUDA.
#include "core/kernels/improve/batch_improver.h"

namespace vrp {

std::unique_ptr<BatchImprover> MakeCudaBatchImprover(const CudaImproverOptions& /*options*/) {
  return nullptr;
}

}  // namespace vrp
