// Kernel launches through CUDA's runtime, which every C++ compiler can parse.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

namespace vrp {

// The blocks of a launch.
struct LaunchShape {
  int64_t blocks = 0;
  dim3 threads;              // of a block
  int64_t shared_bytes = 0;  // of a block, dynamic
};

// Allows `kernel` the device's maximum of shared memory if `bytes` exceeds the default of 48 KiB.
// The limit belongs to the kernel, so a smaller one would break launches on other threads or in
// captured graphs. The kernel must not have static shared memory.
template <typename Kernel>
cudaError_t AllowShared(Kernel kernel, int64_t bytes) {
  if (bytes <= 48 * 1024) return cudaSuccess;
  int device = 0;
  int max_bytes = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&max_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
      error != cudaSuccess) {
    return error;
  }
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_bytes);
}

// Enqueues a call of `kernel` by every thread. Returns CUDA's immediate error. Does nothing for
// zero blocks: CUDA refuses such a launch, but a batch may be empty.
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
