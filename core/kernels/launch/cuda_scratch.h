// What the launchers of kernels have in common: CUDA's errors as Status, a device's limits, memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "core/kernels/launch/launch_plan.h"

namespace vrp {

// kInternal, and that the device is lost where it is; kResourceExhausted: its memory. `what` was
// tried.
absl::Status CudaStatus(cudaError_t error, std::string_view what);

// Of the current device.
absl::StatusOr<DeviceLimits> QueryLimits();

// Memory in the stream's order, so that nothing waits and a graph can capture it.
class Scratch {
 public:
  static absl::StatusOr<Scratch> Create(int64_t bytes, cudaStream_t stream);
  Scratch(Scratch&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), stream_(other.stream_) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    if (memory_ != nullptr) cudaFreeAsync(memory_, stream_);
  }

  uint8_t* bytes() const { return static_cast<uint8_t*>(memory_); }

 private:
  Scratch(void* memory, cudaStream_t stream) : memory_(memory), stream_(stream) {}

  void* memory_;
  cudaStream_t stream_;
};

}  // namespace vrp
