#include "server/telemetry/device_figures.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/device/cpu_info.h"

namespace vrp {
namespace {

DeviceFigures& FindOrAdd(const std::string& id, std::vector<DeviceFigures>& devices) {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const DeviceFigures& device) { return device.id == id; });
  if (found != devices.end()) return *found;
  devices.push_back({.id = id});
  return devices.back();
}

}  // namespace

std::vector<DeviceFigures> JoinDevices(const DeviceSample& sample,
                                       const std::vector<DeviceMemory>& memory) {
  std::vector<DeviceFigures> devices;
  if (sample.ok()) {
    for (const DeviceTelemetry& telemetry : *sample) {
      devices.push_back({.id = telemetry.id.has_value() ? telemetry.id->ToString()
                                                        : Concat("nvml:", telemetry.index),
                         .telemetry = telemetry});
    }
  }
  for (const DeviceMemory& used : memory) {
    const std::string id = used.id.ToString();
    FindOrAdd(id, devices).memory = used;
  }
  return devices;
}

DeviceFigures ReadCpuFigures(const BusyThreads& busy) {
  const DeviceInfo cpu = DescribeCpu();
  return {.id = cpu.id.ToString(),
          .cpu = CpuFigures{.name = cpu.name,
                            .busy = static_cast<double>(busy.busy()) / busy.total(),
                            .memory_total = cpu.memory_bytes,
                            .memory_available = ReadAvailableMemory()}};
}

void AddTrainingJobs(const std::vector<Job>& jobs, std::vector<DeviceFigures>& devices) {
  for (const Job& job : jobs) {
    if (job.kind != JobKind::kTraining || job.place.device.empty()) continue;
    FindOrAdd(job.place.device, devices).training_jobs.push_back(ResourceName(job));
  }
}

}  // namespace vrp
