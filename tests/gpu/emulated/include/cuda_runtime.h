// Replaces the header that nvcc includes before each .cu, for the emulated device. Defines kernel
// qualifiers and launches.
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>

#include "tests/gpu/emulated/emulated_intrinsics.h"
#include "tests/gpu/emulated/launch.h"

#define __device__
#define __global__
// The emulation ignores launch bounds.
#define __launch_bounds__(...)
// Blocks run one after another, so they can share one variable. All shared variables are in one
// section, which the emulation fills before each block.
#define __shared__ static __attribute__((section("emulated_shared")))

using vrp::emulated::blockDim;
using vrp::emulated::blockIdx;
using vrp::emulated::gridDim;
using vrp::emulated::threadIdx;

template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute, int value) {
  return vrp::emulated::AllowDynamicShared(reinterpret_cast<const void*>(kernel), value);
}

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  using Constants = std::tuple<Parameters...>;
  const Constants constants(arguments...);
  const auto thread = [](const void* which, const void* all) {
    std::apply(reinterpret_cast<void (*)(Parameters...)>(which),
               *static_cast<const Constants*>(all));
  };
  return vrp::emulated::Launch({.config = *config,
                                .kernel = reinterpret_cast<const void*>(kernel),
                                .constants = &constants,
                                .constant_bytes = sizeof(constants),
                                .thread = thread});
}
