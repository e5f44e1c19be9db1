// How busy, full, warm and hungry the GPUs are, as NVIDIA's driver tells it. Neither torch nor
// CUDA: to ask makes no CUDA context, and costs no memory of the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/device/device.h"

namespace vrp {

// One GPU. What it does not support, or this user may not ask, is absent.
struct DeviceTelemetry {
  // As this program computes on it. The driver counts GPUs by their place on the PCI bus, CUDA by
  // their speed (CUDA_DEVICE_ORDER) and only those that CUDA_VISIBLE_DEVICES leaves, so the two are
  // matched by UUID. Absent for a GPU that CUDA does not show here, and for one that is split
  // (MIG): its slices have UUIDs and figures of their own, which are not asked for.
  std::optional<DeviceId> id;
  int32_t index = 0;  // the driver's count, from 0
  std::string name;   // "NVIDIA H200"
  std::string uuid;   // as DeviceInfo's
  std::string driver_version;
  std::optional<double> utilization;  // share of the last second or less in which a kernel ran
  std::optional<int64_t> memory_total_bytes;
  std::optional<int64_t> memory_used_bytes;  // by all programs and the driver
  std::optional<int32_t> temperature_celsius;
  std::optional<double> power_watts;
  std::optional<double> power_limit_watts;
  std::optional<int32_t> sm_clock_mhz;
  std::string problem;  // why it does not answer ("GPU is lost"); empty: it does
};

// Thread-safe.
class TelemetryReader {
 public:
  virtual ~TelemetryReader() = default;
  // By the driver's count; those that this user may not ask are left out. A device that does not
  // answer says so in `problem`, the others answer all the same. kUnavailable: the driver does not
  // answer; a later call tries again. Blocks for as long as the driver does: some ms, but there is
  // no bound for one in trouble.
  virtual absl::StatusOr<std::vector<DeviceTelemetry>> Read() = 0;
};

struct TelemetryOptions {
  std::string library = "libnvidia-ml.so.1";  // a name that the loader looks for, or a path
  std::vector<DeviceInfo> devices;            // what `id` is taken from
};

// By NVML. kNotFound and kFailedPrecondition: there is no such library here.
absl::StatusOr<std::unique_ptr<TelemetryReader>> MakeTelemetryReader(
    const TelemetryOptions& options);

}  // namespace vrp
