// Joins the states of devices for the server's statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device_memory.h"
#include "core/device/device_telemetry.h"
#include "core/jobs/job.h"
#include "server/support/busy_threads.h"
#include "server/telemetry/device_sampler.h"

namespace vrp {

// The state of the CPU.
struct CpuFigures {
  std::string name;
  double busy = 0;               // share of the daemon's threads that compute; may exceed 1
  int64_t memory_total = 0;      // in bytes; 0: unknown
  int64_t memory_available = 0;  // in bytes; 0: unknown
};

// The state of a device.
struct DeviceFigures {
  std::string id;  // "cpu", "cuda:0", or "nvml:1" for a GPU that CUDA does not use
  std::optional<CpuFigures> cpu = {};
  std::optional<DeviceTelemetry> telemetry = {};  // reported by the driver
  std::optional<DeviceMemory> memory = {};        // set for a GPU that this process uses
  std::vector<std::string> training_jobs = {};    // names of those that run on the device
};

// Returns the state of the CPU, whose threads are `busy`.
DeviceFigures ReadCpuFigures(const BusyThreads& busy);

// Merges both lists by id: first the devices of `sample` in its order, then those that only
// `memory` has.
std::vector<DeviceFigures> JoinDevices(const DeviceSample& sample,
                                       const std::vector<DeviceMemory>& memory);

// Adds the training jobs among `jobs` to their devices, and devices that only jobs name.
void AddTrainingJobs(const std::vector<Job>& jobs, std::vector<DeviceFigures>& devices);

}  // namespace vrp
