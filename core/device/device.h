// Compute devices and their capabilities. This header does not include torch. In a build
// without torch, only the CPU exists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

// The kind of a device.
enum class DeviceKind { kCpu, kCuda };

// The kind of a device and its number among the devices of this kind, from 0.
struct DeviceId {
  DeviceKind kind = DeviceKind::kCpu;
  int32_t index = 0;

  bool operator==(const DeviceId&) const = default;
  std::string ToString() const;  // "cpu", "cuda:0"
};

// A device and its capabilities.
struct DeviceInfo {
  DeviceId id;
  std::string name;          // "Intel(R) Xeon(R) ...", "NVIDIA H200"
  int64_t memory_bytes = 0;  // 0: unknown
  // Whether automatic mixed precision works and, on a CPU, uses native bf16 (UsableBf16).
  bool amp = false;
  // Whether bf16 runs in hardware: AVX-512 BF16, AMX, or a GPU of compute capability 8.0 or more.
  bool bf16 = false;
  std::string uuid = {};  // UUID of a GPU, see GpuUuid; else empty
};

// Formats the 16 bytes of a GPU's UUID as the driver does:
// "GPU-7f1ab3f2-2c36-93d5-6a5e-0c3b9a1d8e44".
std::string GpuUuid(std::span<const uint8_t, 16> bytes);

// Returns the CPU, followed by every CUDA device that the driver shows.
std::vector<DeviceInfo> ListDevices();

// Versions that CUDA reports, as 1000 * major + 10 * minor.
struct CudaVersions {
  int32_t built = 0;   // version of the build; 0: without CUDA
  int32_t driver = 0;  // highest one that the driver supports; 0: no driver
};
// Returns the versions of this program's build and of this machine's driver.
CudaVersions ReadCudaVersions();

// Returns a user-readable reason why there is no CUDA device, with a remedy if one is known.
// `error` is CUDA's own message, used if the driver is recent enough.
std::string ExplainMissingCuda(const CudaVersions& versions, std::string_view error);
// Returns the reason why this machine has no CUDA device; empty if it has one.
std::string ExplainMissingCuda();

// Parses "auto" (the first CUDA device, or the CPU if there is none), "cpu", "cuda" (the same as
// "cuda:0") or "cuda:N". Returns kInvalidArgument for any other word, and kFailedPrecondition if
// the device does not exist. The message then lists the existing devices and, if none is a CUDA
// device, ExplainMissingCuda.
absl::StatusOr<DeviceId> ResolveDevice(std::string_view text);
// Does the same among `devices`, which begin with the CPU.
absl::StatusOr<DeviceId> ResolveDevice(std::string_view text,
                                       const std::vector<DeviceInfo>& devices);
// Returns the ids of devices as a list: "cpu, cuda:0".
std::string JoinDeviceIds(const std::vector<DeviceInfo>& devices);

}  // namespace vrp
