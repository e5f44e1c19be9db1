// NVIDIA's management library (NVML), which comes with the driver. The library is loaded at run
// time, because most machines lack it. The few functions used are declared here, so that the build
// does not need the header nvml.h. NVML renames a function when its signature changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace vrp {

struct NvmlObject;  // NVML's opaque type
using NvmlDevice = NvmlObject*;

// Values of nvmlReturn_t that callers distinguish.
inline constexpr int kNvmlSuccess = 0;
inline constexpr int kNvmlNotSupported = 3;
inline constexpr int kNvmlNoPermission = 4;
inline constexpr int kNvmlFunctionNotFound = 13;
inline constexpr int kNvmlNoData = 21;
inline constexpr int kNvmlDeprecated = 26;

inline constexpr unsigned kNvmlTextBytes = 96;  // size of a buffer for a text, in bytes
inline constexpr int kNvmlClockSm = 1;          // a value of nvmlClockType_t
inline constexpr int kNvmlTemperatureGpu = 0;   // a value of nvmlTemperatureSensors_t

// Utilization in percent of the last sample period, which is 1/6 to 1 s.
struct NvmlUtilization {
  unsigned gpu = 0;     // time in which a kernel ran
  unsigned memory = 0;  // time in which memory was read or written
};

// A device's memory, in bytes.
struct NvmlMemory {
  uint64_t total = 0;
  uint64_t free = 0;
  uint64_t used = 0;
};

// A sensor, and its temperature in degrees Celsius.
struct NvmlTemperature {
  unsigned version = sizeof(NvmlTemperature) | (1U << 24);
  int sensor = kNvmlTemperatureGpu;
  int celsius = 0;
};

// NVML's functions. Each but error_string returns an nvmlReturn_t. All are thread-safe.
struct NvmlFunctions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device_by_index)(unsigned, NvmlDevice*) = nullptr;
  // Optional functions, null if the library is too old or too new to have them.
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*temperature)(NvmlDevice, NvmlTemperature*) = nullptr;
  int (*old_temperature)(NvmlDevice, int, unsigned*) = nullptr;  // before CUDA 13
  int (*power)(NvmlDevice, unsigned*) = nullptr;                 // mW
  int (*power_limit)(NvmlDevice, unsigned*) = nullptr;           // mW
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;            // MHz
};

// The loaded library. A caller of init must later call shutdown.
class NvmlLibrary {
 public:
  // Loads `file`, a name or path for dlopen. Returns kNotFound if dlopen fails, and
  // kFailedPrecondition if a required function is missing.
  static absl::StatusOr<std::unique_ptr<NvmlLibrary>> Open(const std::string& file);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  const NvmlFunctions& functions() const { return functions_; }

 private:
  explicit NvmlLibrary(void* handle) : handle_(handle) {}
  absl::Status Load(const std::string& file);

  void* const handle_;
  NvmlFunctions functions_;
};

}  // namespace vrp
