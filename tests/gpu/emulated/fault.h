// An action of a kernel that CUDA does not allow.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace vrp::emulated {

struct Fault {
  cudaError_t error = cudaErrorLaunchFailure;
  std::string text;
};

}  // namespace vrp::emulated
