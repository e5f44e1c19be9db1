// Helpers of the kernels' launchers: CUDA's errors as statuses, a device's limits, and scratch
// memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "core/kernels/launch/launch_limits.h"

namespace vrp {

// Returns the status of the action `what`. An error becomes kUnavailable if the device is lost,
// kResourceExhausted if the device's memory is full, and kInternal otherwise. Clears CUDA's last
// error, so that torch does not report it again.
absl::Status CudaStatus(cudaError_t error, std::string_view what);

// Returns the limits of the current device.
absl::StatusOr<DeviceLimits> QueryLimits();

// Device memory that is allocated and freed in the stream's order. The host does not wait for the
// allocation, and a graph can capture it.
class CudaScratch {
 public:
  // Allocates `bytes` bytes, or nothing for 0. Returns the errors of CudaStatus.
  static absl::StatusOr<CudaScratch> Create(int64_t bytes, cudaStream_t stream);
  CudaScratch(CudaScratch&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), stream_(other.stream_) {}
  CudaScratch& operator=(CudaScratch&&) = delete;
  ~CudaScratch() {
    if (memory_ != nullptr) cudaFreeAsync(memory_, stream_);
  }

  // Returns the address on the device; null for an allocation of 0 bytes.
  uint8_t* bytes() const { return static_cast<uint8_t*>(memory_); }

 private:
  CudaScratch(void* memory, cudaStream_t stream) : memory_(memory), stream_(stream) {}

  void* memory_;
  cudaStream_t stream_;
};

}  // namespace vrp
