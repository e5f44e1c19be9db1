#include "core/device/device_telemetry.h"

#include <array>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/nvml_library.h"

namespace vrp {
namespace {

// Whether the code only reports that the device does not support a value, or that this user may not
// read it.
bool IsUnavailable(int code) {
  return code == kNvmlNotSupported || code == kNvmlNoPermission || code == kNvmlFunctionNotFound ||
         code == kNvmlNoData || code == kNvmlDeprecated;
}

// Queries of one device's values.
class NvmlQueries {
 public:
  NvmlQueries(const NvmlFunctions& nvml, NvmlDevice device) : nvml_(nvml), device_(device) {}

  template <typename Value>
  std::optional<Value> Query(int (*function)(NvmlDevice, Value*)) {
    Value value{};
    if (function == nullptr || !Succeeded(function(device_, &value))) return std::nullopt;
    return value;
  }
  template <typename Value>
  std::optional<Value> Query(int (*function)(NvmlDevice, int, Value*), int selector) {
    Value value{};
    if (function == nullptr || !Succeeded(function(device_, selector, &value))) return std::nullopt;
    return value;
  }
  std::string QueryText(int (*function)(NvmlDevice, char*, unsigned)) {
    std::array<char, kNvmlTextBytes + 1> text = {};
    if (function == nullptr || !Succeeded(function(device_, text.data(), kNvmlTextBytes)))
      return "";
    return Escaped(text.data());
  }
  std::string problem() const { return problem_; }

 private:
  bool Succeeded(int code) {
    if (code != kNvmlSuccess && !IsUnavailable(code)) problem_ = nvml_.error_string(code);
    return code == kNvmlSuccess;
  }

  const NvmlFunctions& nvml_;
  const NvmlDevice device_;
  std::string problem_;  // error of the last failed query
};

std::optional<double> Watts(std::optional<unsigned> milliwatts) {
  if (!milliwatts.has_value()) return std::nullopt;
  return *milliwatts / 1000.0;
}

std::optional<int32_t> ReadTemperature(const NvmlFunctions& nvml, NvmlQueries& device) {
  if (nvml.temperature != nullptr) {
    const std::optional<NvmlTemperature> temperature = device.Query(nvml.temperature);
    return temperature.has_value() ? std::optional(temperature->celsius) : std::nullopt;
  }
  const std::optional<unsigned> celsius = device.Query(nvml.old_temperature, kNvmlTemperatureGpu);
  return celsius.has_value() ? std::optional(static_cast<int32_t>(*celsius)) : std::nullopt;
}

void ReadValues(const NvmlFunctions& nvml, NvmlQueries& device, DeviceTelemetry& telemetry) {
  if (const auto utilization = device.Query(nvml.utilization)) {
    telemetry.utilization = utilization->gpu / 100.0;
    telemetry.memory_utilization = utilization->memory / 100.0;
  }
  if (const auto memory = device.Query(nvml.memory)) {
    telemetry.memory_total_bytes = static_cast<int64_t>(memory->total);
    telemetry.memory_used_bytes = static_cast<int64_t>(memory->used);
  }
  telemetry.temperature_celsius = ReadTemperature(nvml, device);
  telemetry.power_watts = Watts(device.Query(nvml.power));
  telemetry.power_limit_watts = Watts(device.Query(nvml.power_limit));
  if (const auto clock = device.Query(nvml.clock, kNvmlClockSm)) {
    telemetry.sm_clock_mhz = static_cast<int32_t>(*clock);
  }
}

class NvmlReader final : public TelemetryReader {
 public:
  NvmlReader(std::unique_ptr<NvmlLibrary> library, std::vector<DeviceInfo> devices)
      : library_(std::move(library)), devices_(std::move(devices)) {}
  ~NvmlReader() override {
    const absl::MutexLock lock(&mutex_);
    if (!gpus_.empty()) nvml().shutdown();
  }

  absl::StatusOr<std::vector<DeviceTelemetry>> Read() override {
    const absl::MutexLock lock(&mutex_);
    if (gpus_.empty()) VRP_RETURN_IF_ERROR(Initialize());
    std::vector<DeviceTelemetry> devices;
    for (const Gpu& gpu : gpus_) {
      DeviceTelemetry& device = devices.emplace_back(gpu.identity);
      if (gpu.handle == nullptr) continue;
      NvmlQueries queries(nvml(), gpu.handle);
      ReadValues(nvml(), queries, device);
      device.problem = queries.problem();
    }
    return devices;
  }

 private:
  // A device that Initialize found. Its handle and identity do not change, so that a device lost
  // later keeps its name.
  struct Gpu {
    NvmlDevice handle = nullptr;  // null: the device has never answered
    DeviceTelemetry identity;     // without values
  };

  const NvmlFunctions& nvml() const { return library_->functions(); }

  absl::Status NvmlError(std::string_view function, int code) const {
    return absl::UnavailableError(Concat("NVML: ", function, ": ", nvml().error_string(code)));
  }

  // Initialises the library and finds the devices. Keeps the library initialised only if there are
  // devices.
  absl::Status Initialize() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (const int code = nvml().init(); code != kNvmlSuccess) return NvmlError("nvmlInit", code);
    absl::Status status = FindGpus();
    if (status.ok() && gpus_.empty())
      status = absl::UnavailableError("NVML: the driver shows no GPU to this user");
    if (!status.ok()) nvml().shutdown();
    return status;
  }

  absl::Status FindGpus() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    unsigned count = 0;
    if (const int code = nvml().device_count(&count); code != kNvmlSuccess) {
      return NvmlError("nvmlDeviceGetCount", code);
    }
    const std::string version = DriverVersion();
    for (unsigned index = 0; index < count; ++index) {
      Gpu gpu;
      gpu.identity.index = static_cast<int32_t>(index);
      gpu.identity.driver_version = version;
      const int code = nvml().device_by_index(index, &gpu.handle);
      if (code == kNvmlNoPermission) continue;
      if (code == kNvmlSuccess) {
        Identify(gpu);
      } else {
        gpu.handle = nullptr;
        gpu.identity.problem = nvml().error_string(code);
      }
      gpus_.push_back(std::move(gpu));
    }
    return absl::OkStatus();
  }

  void Identify(Gpu& gpu) const {
    NvmlQueries queries(nvml(), gpu.handle);
    gpu.identity.name = queries.QueryText(nvml().name);
    gpu.identity.uuid = queries.QueryText(nvml().uuid);
    for (const DeviceInfo& device : devices_) {
      if (!device.uuid.empty() && device.uuid == gpu.identity.uuid) gpu.identity.id = device.id;
    }
  }

  std::string DriverVersion() const {
    std::array<char, kNvmlTextBytes + 1> text = {};
    if (nvml().driver_version == nullptr) return "";
    const int code = nvml().driver_version(text.data(), kNvmlTextBytes);
    return code == kNvmlSuccess ? Escaped(text.data()) : "";
  }

  const std::unique_ptr<NvmlLibrary> library_;
  const std::vector<DeviceInfo> devices_;
  absl::Mutex mutex_;
  std::vector<Gpu> gpus_ ABSL_GUARDED_BY(mutex_);  // empty: not initialised
};

}  // namespace

absl::StatusOr<std::unique_ptr<TelemetryReader>> MakeTelemetryReader(
    const TelemetryOptions& options) {
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<NvmlLibrary> library, NvmlLibrary::Open(options.library));
  return std::make_unique<NvmlReader>(std::move(library), options.devices);
}

}  // namespace vrp
