// How kernels are launched: by a call of the runtime, which every C++ compiler can read.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

namespace vrp {

struct LaunchShape {
  int64_t blocks = 0;
  dim3 threads;              // of a block
  int64_t shared_bytes = 0;  // of a block, dynamic
};

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

// Enqueues a call of `kernel` by every thread; what CUDA reports at once. Of no blocks, which CUDA
// refuses, nothing comes: a batch may be empty.
template <typename... Parameters>
cudaError_t LaunchKernel(void (*kernel)(Parameters...), const LaunchShape& shape,
                         cudaStream_t stream,
                         const std::type_identity_t<Parameters>&... arguments) {
  if (shape.blocks == 0) return cudaSuccess;
  if (const cudaError_t error = AllowShared(kernel, shape.shared_bytes); error != cudaSuccess) {
    return error;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = static_cast<size_t>(shape.shared_bytes);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace vrp
