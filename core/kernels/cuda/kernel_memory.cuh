// Shared memory of kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vrp {

// More shared memory than 48 KiB has to be asked for.
template <typename Kernel>
cudaError_t AllowShared(Kernel kernel, int64_t bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(bytes));
}

}  // namespace vrp
