// Utilisation, memory, temperature and power of the GPUs, as NVIDIA's driver reports them. Uses
// neither torch nor CUDA, so that queries create no CUDA context and take no device memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/device/device.h"

namespace vrp {

// Values of one GPU. Values that the GPU does not support, that this user may not read, or whose
// query failed, are absent.
struct DeviceTelemetry {
  // The device's id in this program. The driver numbers GPUs by PCI bus. CUDA numbers them by speed
  // (CUDA_DEVICE_ORDER), and only those in CUDA_VISIBLE_DEVICES. The reader matches both by UUID.
  // Absent for a GPU that CUDA does not show here. Also absent for a GPU split by MIG, because the
  // reader does not query its slices, which have their own UUIDs and values.
  std::optional<DeviceId> id;
  int32_t index = 0;  // the driver's number, from 0
  std::string name;   // "NVIDIA H200"
  std::string uuid;   // see DeviceInfo::uuid
  std::string driver_version;
  std::optional<double> utilization;  // share of the last sample period in which a kernel ran
  // Share of the last sample period in which the memory was read or written.
  std::optional<double> memory_utilization;
  std::optional<int64_t> memory_total_bytes;
  std::optional<int64_t> memory_used_bytes;  // by all programs and the driver
  std::optional<int32_t> temperature_celsius;
  std::optional<double> power_watts;
  std::optional<double> power_limit_watts;
  std::optional<int32_t> sm_clock_mhz;
  std::string problem;  // error of the last query that failed ("GPU is lost"); else empty
};

// A source of telemetry. Thread-safe.
class TelemetryReader {
 public:
  virtual ~TelemetryReader() = default;
  // Returns the devices in the driver's order, without those that this user may not query. A query
  // that fails sets the device's `problem`; all others still run. Returns kUnavailable if the
  // driver does not answer or shows no GPU to this user; a later call tries again. Blocks while the
  // driver does, usually for some ms, but without a bound for a failing device.
  virtual absl::StatusOr<std::vector<DeviceTelemetry>> Read() = 0;
};

// Options of MakeTelemetryReader.
struct TelemetryOptions {
  std::string library = "libnvidia-ml.so.1";  // a name that the loader looks for, or a path
  std::vector<DeviceInfo> devices;  // this program's devices; their uuids yield DeviceTelemetry::id
};

// Returns a reader that uses NVML. Returns kNotFound if the library cannot be loaded, and
// kFailedPrecondition if it lacks a required function.
absl::StatusOr<std::unique_ptr<TelemetryReader>> MakeTelemetryReader(
    const TelemetryOptions& options);

}  // namespace vrp
