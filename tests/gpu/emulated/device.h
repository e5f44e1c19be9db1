// The only emulated device of the process.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/gpu/emulated/block.h"
#include "tests/gpu/emulated/emulated_device.h"
#include "tests/gpu/emulated/launch.h"
#include "tests/gpu/emulated/memory.h"

// A stream and its queued work.
struct CUstream_st {
  bool blocking = true;  // whether it and the default stream wait for each other
  std::deque<std::function<cudaError_t()>> waiting;
};

namespace vrp::emulated {

// The emulated device. Do() serialises all calls.
class Device {
 public:
  static Device& Get();

  // Runs `body` unless the device is lost. Stores its error for cudaGetLastError.
  template <typename Body>
  cudaError_t Do(const Body& body) {
    const std::lock_guard lock(mu_);
    const cudaError_t error = lost_ != cudaSuccess ? lost_ : body(*this);
    if (error != cudaSuccess) last_ = error;
    return error;
  }
  void Reset(const DeviceOptions& options);
  std::string fault();
  cudaError_t TakeLastError();

  // Only bodies may call the following functions.
  const DeviceOptions& options() const { return options_; }
  DeviceMemory& memory() { return memory_; }
  cudaError_t Launch(const KernelCall& call);
  cudaError_t AllowShared(const void* kernel, int32_t bytes);
  cudaStream_t CreateStream(bool blocking);
  // Destroys a stream. Returns false if there is no such stream.
  bool DestroyStream(cudaStream_t stream);
  cudaError_t Enqueue(cudaStream_t stream, std::function<cudaError_t()> work);
  cudaError_t Synchronize(cudaStream_t stream);
  cudaError_t SynchronizeAll();

 private:
  cudaError_t Run(const KernelCall& call, std::span<const uint8_t> constants);
  cudaError_t Finish(CUstream_st& stream);

  std::mutex mu_;
  DeviceOptions options_;
  DeviceMemory memory_;
  cudaError_t lost_ = cudaSuccess;
  cudaError_t last_ = cudaSuccess;
  std::string fault_;
  uint64_t launches_ = 0;
  std::map<const void*, int64_t> allowed_shared_;
  RaceWatch races_;
  std::vector<FiberStack> stacks_;
  CUstream_st default_stream_;
  std::set<cudaStream_t> streams_;
};

}  // namespace vrp::emulated
