// CUDA's errors as a Status.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "absl/status/status.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"

namespace vrp {

inline absl::Status CudaStatus(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return absl::OkStatus();
  const absl::Status status = absl::InternalError(
      Concat("CUDA: ", what, ": ", cudaGetErrorString(error), " (", cudaGetErrorName(error), ")"));
  return LosesDevice(error) ? DeviceLost(status) : status;
}

}  // namespace vrp
