// Launches of kernels on the emulated device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vrp::emulated {

// A view of a launch.
struct KernelCall {
  cudaLaunchConfig_t config;
  const void* kernel = nullptr;     // the kernel's address
  const void* constants = nullptr;  // its arguments, readable by all threads
  size_t constant_bytes = 0;
  void (*thread)(const void* kernel, const void* constants) = nullptr;
};

// Emulates cudaLaunchKernelExC: rejects invalid launches, and enqueues the others.
cudaError_t Launch(const KernelCall& call);
// Emulates cudaFuncSetAttribute.
cudaError_t AllowDynamicShared(const void* kernel, int32_t bytes);

}  // namespace vrp::emulated
