// Launches of kernels on the emulated device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vrp::emulated {

// A view.
struct KernelCall {
  cudaLaunchConfig_t config;
  const void* kernel = nullptr;     // which
  const void* constants = nullptr;  // its arguments, which all threads may read
  size_t constant_bytes = 0;
  void (*thread)(const void* kernel, const void* constants) = nullptr;
};

// As cudaLaunchKernelExC: refuses what the device cannot do, else puts it into the stream.
cudaError_t Launch(const KernelCall& call);
// As cudaFuncSetAttribute.
cudaError_t AllowDynamicShared(const void* kernel, int32_t bytes);

}  // namespace vrp::emulated
