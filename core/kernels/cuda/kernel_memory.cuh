// Shared memory of kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vrp {

// More shared memory than 48 KiB has to be asked for. All that the device gives a block, whatever
// this launch wants: a kernel has one such bound, and what another launch, on another thread or
// recorded in a graph, was given must not be taken back. The kernel has no static shared memory.
template <typename Kernel>
cudaError_t AllowShared(Kernel kernel, int64_t bytes) {
  if (bytes <= 48 * 1024) return cudaSuccess;
  int device = 0;
  int most = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
      error != cudaSuccess) {
    return error;
  }
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
}

}  // namespace vrp
