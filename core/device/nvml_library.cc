#include "core/device/nvml_library.h"

#include <dlfcn.h>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

template <typename Function>
bool Find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<NvmlLibrary>> NvmlLibrary::Open(const std::string& file) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();  // begins with the file's name
    return absl::NotFoundError(Concat("NVML: ", why == nullptr ? file.c_str() : why));
  }
  std::unique_ptr<NvmlLibrary> library(new NvmlLibrary(handle));
  VRP_RETURN_IF_ERROR(library->Load(file));
  return library;
}

NvmlLibrary::~NvmlLibrary() { dlclose(handle_); }

absl::Status NvmlLibrary::Load(const std::string& file) {
  const char* missing = nullptr;
  const auto require = [&](const char* name, auto& function) {
    if (!Find(handle_, name, function) && missing == nullptr) missing = name;
  };
  require("nvmlInit_v2", functions_.init);
  require("nvmlShutdown", functions_.shutdown);
  require("nvmlErrorString", functions_.error_string);
  require("nvmlDeviceGetCount_v2", functions_.device_count);
  require("nvmlDeviceGetHandleByIndex_v2", functions_.device_by_index);
  if (missing != nullptr) {
    return absl::FailedPreconditionError(
        Concat("NVML: ", file, ": has no ", missing, ", wanted the library of an NVIDIA driver"));
  }
  Find(handle_, "nvmlSystemGetDriverVersion", functions_.driver_version);
  Find(handle_, "nvmlDeviceGetName", functions_.name);
  Find(handle_, "nvmlDeviceGetUUID", functions_.uuid);
  Find(handle_, "nvmlDeviceGetUtilizationRates", functions_.utilization);
  Find(handle_, "nvmlDeviceGetMemoryInfo", functions_.memory);
  Find(handle_, "nvmlDeviceGetTemperatureV", functions_.temperature);
  Find(handle_, "nvmlDeviceGetTemperature", functions_.old_temperature);
  Find(handle_, "nvmlDeviceGetPowerUsage", functions_.power);
  Find(handle_, "nvmlDeviceGetEnforcedPowerLimit", functions_.power_limit);
  Find(handle_, "nvmlDeviceGetClockInfo", functions_.clock);
  return absl::OkStatus();
}

}  // namespace vrp
