// Implements fake_nvml.h. Declares the functions as NVIDIA's header does and independently of
// core/device/nvml_library.h, so as not to repeat mistakes of that file.
#include "tests/device/fake_nvml.h"

#include <cstdio>
#include <cstring>

namespace {

using vrp::test::FakeNvmlState;
using vrp::test::kFakeGpus;
using vrp::test::kFakeUuids;

FakeNvmlState& State() {
  static FakeNvmlState state;
  return state;
}

// The numbers of the GPUs. A device's handle points to its number.
unsigned gpu_numbers[kFakeGpus] = {0, 1};

int StatusOf(const void* gpu) { return State().queries[*static_cast<const unsigned*>(gpu)]; }

// Returns `first` for GPU 0 and `second` for GPU 1.
unsigned ForGpu(const void* gpu, unsigned first, unsigned second) {
  return *static_cast<const unsigned*>(gpu) == 0 ? first : second;
}

// Copies `value` to `text`. Returns NVML's code for success (0) or for too short a buffer (7).
int Write(const char* value, char* text, unsigned length) {
  return std::snprintf(text, length, "%s", value) < static_cast<int>(length) ? 0 : 7;
}

struct Utilization {
  unsigned int gpu;
  unsigned int memory;
};

struct Memory {
  unsigned long long total;  // NOLINT(google-runtime-int): NVIDIA's types
  unsigned long long free;   // NOLINT(google-runtime-int)
  unsigned long long used;   // NOLINT(google-runtime-int)
};

struct Temperature {
  unsigned int version;
  int sensor;
  int temperature;
};

}  // namespace

extern "C" {

FakeNvmlState* fake_nvml_state() { return &State(); }

int nvmlInit_v2() {
  ++State().inits;
  return State().init;
}

int nvmlShutdown() {
  ++State().shutdowns;
  return 0;
}

const char* nvmlErrorString(int code) {
  if (code == vrp::test::kFakeGpuIsLost) return "GPU is lost";
  return code == vrp::test::kFakeDriverNotLoaded ? "Driver Not Loaded" : "Unknown Error";
}

int nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  return Write("580.65.06", version, length);
}

int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = State().gpus;
  return State().count;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device) {
  if (index >= State().gpus) return 2;
  *device = &gpu_numbers[index];
  return State().handle[index];
}

int nvmlDeviceGetName(void*, char* name, unsigned int length) {
  return Write(State().name, name, length);
}

int nvmlDeviceGetUUID(void* gpu, char* uuid, unsigned int length) {
  return Write(kFakeUuids[ForGpu(gpu, 0, 1)], uuid, length);
}

int nvmlDeviceGetUtilizationRates(void* gpu, Utilization* utilization) {
  *utilization = {ForGpu(gpu, 83, 0), 40};
  return StatusOf(gpu);
}

int nvmlDeviceGetMemoryInfo(void* gpu, Memory* memory) {
  *memory = {143ULL << 30, 130ULL << 30, 13ULL << 30};
  return StatusOf(gpu);
}

int nvmlDeviceGetTemperatureV(void* gpu, Temperature* temperature) {
  if (temperature->version != (12U | 1U << 24)) return 25;
  if (temperature->sensor != 0) return 2;
  temperature->temperature = static_cast<int>(ForGpu(gpu, 54, 31));
  return StatusOf(gpu);
}

int nvmlDeviceGetPowerUsage(void* gpu, unsigned int* power) {
  *power = ForGpu(gpu, 412'500, 75'000);
  const int power_status = State().power[ForGpu(gpu, 0, 1)];
  return power_status != 0 ? power_status : StatusOf(gpu);
}

int nvmlDeviceGetEnforcedPowerLimit(void* gpu, unsigned int* limit) {
  *limit = 700'000;
  return StatusOf(gpu);
}

int nvmlDeviceGetClockInfo(void* gpu, int type, unsigned int* clock) {
  if (type != 1) return 2;
  *clock = ForGpu(gpu, 1980, 345);
  return StatusOf(gpu);
}

}  // extern "C"
