// The devices as torch and CUDA's runtime report them. Without VRP_WITH_CUDA, uses only torch's C++
// API, which reports no CUDA device if built against LibTorch's CPU libraries.
#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/text.h"
#include "core/device/cpu_info.h"
#include "core/device/device.h"
#include "core/device/device_memory.h"
#include "core/device/device_stream.h"
#if VRP_WITH_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace vrp {
namespace {

int32_t CountCudaDevices() {
  try {
    return at::hasCUDA() ? static_cast<int32_t>(at::detail::getCUDAHooks().deviceCount()) : 0;
  } catch (const c10::Error&) {
    return 0;  // a driver that does not answer counts as no device
  }
}

DeviceInfo DescribeCuda(int32_t index) {
  DeviceInfo info;
  info.id = {DeviceKind::kCuda, index};
  info.name = Concat("CUDA device ", index);
#if VRP_WITH_CUDA
  const cudaDeviceProp* properties =
      at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index));
  info.name = properties->name;
  info.memory_bytes = static_cast<int64_t>(properties->totalGlobalMem);
  info.amp = true;
  info.bf16 = properties->major >= 8;
  std::array<uint8_t, sizeof(properties->uuid.bytes)> uuid{};
  std::copy(std::begin(properties->uuid.bytes), std::end(properties->uuid.bytes), uuid.begin());
  info.uuid = GpuUuid(uuid);
#endif
  return info;
}

#if VRP_WITH_CUDA
DeviceMemory ReadMemory(c10::DeviceIndex index) {
  const c10::cuda::CUDAGuard guard(index);
  size_t free = 0;
  size_t total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index);
  constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return {.id = {DeviceKind::kCuda, index},
          .total = static_cast<int64_t>(total),
          .free = static_cast<int64_t>(free),
          .allocated = stats.allocated_bytes[kAll].current,
          .reserved = stats.reserved_bytes[kAll].current};
}
#endif

}  // namespace

std::vector<DeviceMemory> ReadDeviceMemory() {
  std::vector<DeviceMemory> memory;
#if VRP_WITH_CUDA
  const auto count = static_cast<c10::DeviceIndex>(CountCudaDevices());
  for (c10::DeviceIndex index = 0; index < count; ++index) {
    try {
      if (c10::cuda::hasPrimaryContext(index)) memory.push_back(ReadMemory(index));
    } catch (const c10::Error&) {
      continue;  // skips a failing device
    }
  }
#endif
  return memory;
}

void* CurrentStream([[maybe_unused]] int32_t device_index) {
#if VRP_WITH_CUDA
  return c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device_index)).stream();
#else
  return nullptr;
#endif
}

CudaVersions ReadCudaVersions() {
  CudaVersions versions;
#if VRP_WITH_CUDA
  versions.built = CUDART_VERSION;
  // Queries the driver's library in any version, without initialising it.
  if (cudaDriverGetVersion(&versions.driver) != cudaSuccess) versions.driver = 0;
#endif
  return versions;
}

std::string ExplainMissingCuda() {
  if (CountCudaDevices() > 0) return "";
  std::string error;
#if VRP_WITH_CUDA
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted != cudaSuccess) error = cudaGetErrorString(counted);
  // Clears the error, which torch would report as an error of its next launch.
  static_cast<void>(cudaGetLastError());
#endif
  return ExplainMissingCuda(ReadCudaVersions(), error);
}

int32_t LastCudaError() {
#if VRP_WITH_CUDA
  return cudaPeekAtLastError();
#else
  return 0;
#endif
}

std::vector<DeviceInfo> ListDevices() {
  std::vector<DeviceInfo> devices = {DescribeCpu()};
  const int32_t count = CountCudaDevices();
  for (int32_t index = 0; index < count; ++index) devices.push_back(DescribeCuda(index));
  return devices;
}

}  // namespace vrp
