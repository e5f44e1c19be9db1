// Which device computes, and what it can do. No torch in this header; without torch in the build
// only the CPU exists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

enum class DeviceKind { kCpu, kCuda };

struct DeviceId {
  DeviceKind kind = DeviceKind::kCpu;
  int32_t index = 0;

  bool operator==(const DeviceId&) const = default;
  std::string ToString() const;  // "cpu", "cuda:0"
};

struct DeviceInfo {
  DeviceId id;
  std::string name;  // "Intel(R) Xeon(R) ...", "NVIDIA H200"
  int64_t memory_bytes = 0;
  bool amp = false;       // automatic mixed precision runs; on the CPU: faster than fp32
  bool bf16 = false;      // in hardware: AVX-512 BF16 or AMX, compute capability >= 8.0
  std::string uuid = {};  // of a GPU, as NVIDIA's driver writes it: see GpuUuid; else empty
};

// "GPU-7f1ab3f2-2c36-93d5-6a5e-0c3b9a1d8e44" of the 16 bytes that CUDA gives.
std::string GpuUuid(std::span<const uint8_t, 16> bytes);

// The CPU first, then every CUDA device that the driver shows.
std::vector<DeviceInfo> ListDevices();

// What CUDA tells of itself, as 1000 * major + 10 * minor.
struct CudaVersions {
  int32_t built = 0;   // that the program was built with; 0: without
  int32_t driver = 0;  // that the driver knows at most; 0: there is none
};
CudaVersions ReadCudaVersions();

// Why there is no CUDA device, and what would help, for people. `error`: what CUDA says, where the
// driver suffices.
std::string WhyNoCuda(const CudaVersions& versions, std::string_view error);
// The same here; empty where there are devices.
std::string WhyNoCuda();

// "auto" (the first CUDA device, else the CPU), "cpu", "cuda", "cuda:1". kInvalidArgument for other
// words; kFailedPrecondition, naming the devices there are and WhyNoCuda, for a device that is not
// there.
absl::StatusOr<DeviceId> ResolveDevice(std::string_view text);

}  // namespace vrp
