// Launches kernels on the emulated device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vrp::emulated {

// A kernel launch. The caller owns the arguments, which need to live only during the call.
struct KernelCall {
  cudaLaunchConfig_t config;
  const void* kernel = nullptr;     // address of the kernel
  const void* constants = nullptr;  // the kernel's arguments, readable by all threads
  size_t constant_bytes = 0;
  void (*thread)(const void* kernel, const void* constants) = nullptr;
};

// Emulates cudaLaunchKernelExC: rejects invalid launches, and enqueues the others.
cudaError_t Launch(const KernelCall& call);
// Emulates cudaFuncSetAttribute.
cudaError_t AllowDynamicShared(const void* kernel, int32_t bytes);

}  // namespace vrp::emulated
