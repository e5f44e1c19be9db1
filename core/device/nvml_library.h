// NVIDIA's management library (NVML), which comes with the driver: looked for when the program
// runs, for most machines have none. The few functions that are used are declared here as its
// header nvml.h has them, so that this is built without it; what changes there gets a new name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace vrp {

struct NvmlObject;  // NVIDIA's own
using NvmlDevice = NvmlObject*;

// Those values of nvmlReturn_t that are told apart.
inline constexpr int kNvmlSuccess = 0;
inline constexpr int kNvmlNotSupported = 3;
inline constexpr int kNvmlNoPermission = 4;
inline constexpr int kNvmlFunctionNotFound = 13;
inline constexpr int kNvmlNoData = 21;
inline constexpr int kNvmlDeprecated = 26;

inline constexpr unsigned kNvmlTextBytes = 96;  // enough for each text that is asked for
inline constexpr int kNvmlClockSm = 1;
inline constexpr int kNvmlTemperatureGpu = 0;

struct NvmlUtilization {  // percent of the last sample period, which is 1/6 to 1 s
  unsigned gpu = 0;       // in which a kernel ran
  unsigned memory = 0;    // in which memory was read or written
};

struct NvmlMemory {  // bytes
  uint64_t total = 0;
  uint64_t free = 0;
  uint64_t used = 0;
};

struct NvmlTemperature {
  unsigned version = sizeof(NvmlTemperature) | (1U << 24);
  int sensor = kNvmlTemperatureGpu;
  int celsius = 0;
};

// Each but error_string returns an nvmlReturn_t. All are thread-safe.
struct NvmlFunctions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device_by_index)(unsigned, NvmlDevice*) = nullptr;
  // Null where a library does not have them, as an old or a future one may not.
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

// The loaded library, not yet initialised: who calls init calls shutdown.
class NvmlLibrary {
 public:
  // `file` as dlopen takes it: a name that the loader looks for, or a path. kNotFound: there is no
  // such library; kFailedPrecondition: it has not the functions that nothing works without.
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
