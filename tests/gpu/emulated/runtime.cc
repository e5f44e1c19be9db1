// Emulates the functions of CUDA's runtime that our sources call.
#include <cuda_runtime_api.h>

#include <cstring>

#include "tests/gpu/emulated/device.h"

using vrp::emulated::Device;
using vrp::emulated::DeviceMemory;

namespace {

cudaError_t Allocate(Device& device, void** memory, size_t bytes) {
  const auto limit = static_cast<size_t>(device.options().memory_bytes);
  if (device.memory().used() + bytes > limit) return cudaErrorMemoryAllocation;
  *memory = bytes == 0 ? nullptr : device.memory().Allocate(bytes);
  return *memory == nullptr && bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t Free(Device& device, void* memory) {
  if (memory == nullptr || device.memory().Free(memory)) return cudaSuccess;
  return cudaErrorInvalidValue;
}

// Whether one end of a copy is on the device and the other on the host, as `kind` requires.
bool FitsKind(Device& device, const void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const bool up = kind == cudaMemcpyHostToDevice;
  const void* const device_end = up ? to : from;
  const void* const host_end = up ? from : to;
  return device.memory().Contains(device_end, bytes) &&
         !device.memory().IsNear(reinterpret_cast<uintptr_t>(host_end));
}

cudaError_t Copy(Device& device, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  if (!FitsKind(device, to, from, bytes, kind)) return cudaErrorInvalidValue;
  const DeviceMemory::Open open(device.memory(), kind == cudaMemcpyHostToDevice ? to : from);
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
  }
  return "cudaErrorUnknown";
}

const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }

cudaError_t cudaGetLastError() { return Device::Get().TakeLastError(); }

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return Device::Get().Do(
      [&](Device&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  return Device::Get().Do([&](Device& device) {
    *value = attribute == cudaDevAttrMultiProcessorCount
                 ? device.options().multiprocessors
                 : static_cast<int>(device.options().shared_bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return Device::Get().Do([&](Device& device) {
    *stream = device.CreateStream((flags & cudaStreamNonBlocking) == 0);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return Device::Get().Do([&](Device& device) {
    return device.DestroyStream(stream) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return Device::Get().Do([&](Device& device) { return device.Synchronize(stream); });
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return Device::Get().Do([&](Device& device) { return Allocate(device, memory, bytes); });
}

cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  return cudaMalloc(memory, bytes);
}

cudaError_t cudaFree(void* memory) {
  return Device::Get().Do([&](Device& device) {
    const cudaError_t error = device.SynchronizeAll();
    return error == cudaSuccess ? Free(device, memory) : error;
  });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return Device::Get().Do([&](Device& device) {
    return device.Enqueue(stream, [&device, memory] { return Free(device, memory); });
  });
}

cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  return Device::Get().Do([&](Device& device) {
    *total = static_cast<size_t>(device.options().memory_bytes);
    *available = *total - device.memory().used();
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return Device::Get().Do([&](Device& device) {
    const cudaError_t enqueued = device.Enqueue(
        nullptr, [&device, to, from, bytes, kind] { return Copy(device, to, from, bytes, kind); });
    return enqueued == cudaSuccess ? device.Synchronize(nullptr) : enqueued;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return Device::Get().Do([&](Device& device) {
    return device.Enqueue(
        stream, [&device, to, from, bytes, kind] { return Copy(device, to, from, bytes, kind); });
  });
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return Device::Get().Do([&](Device& device) {
    return device.Enqueue(stream, [&device, memory, value, bytes] {
      if (!device.memory().Contains(memory, bytes)) return cudaErrorInvalidValue;
      const DeviceMemory::Open open(device.memory(), memory);
      std::memset(memory, value, bytes);
      return cudaSuccess;
    });
  });
}
