#include "tests/gpu/emulated/device.h"

#include <memory>
#include <utility>

namespace vrp::emulated {

Device& Device::Get() {
  static Device* const device = new Device;  // never destroyed, because streams may end last
  return *device;
}

void Device::Reset(const DeviceOptions& options) {
  const std::lock_guard lock(mu_);
  options_ = options;
  lost_ = cudaSuccess;
  last_ = cudaSuccess;
  fault_.clear();
  launches_ = 0;
  allowed_shared_.clear();
  default_stream_.waiting.clear();
  for (const cudaStream_t stream : streams_) stream->waiting.clear();
}

std::string Device::fault() {
  const std::lock_guard lock(mu_);
  return fault_;
}

cudaError_t Device::TakeLastError() {
  const std::lock_guard lock(mu_);
  return lost_ != cudaSuccess ? lost_ : std::exchange(last_, cudaSuccess);
}

cudaStream_t Device::CreateStream(bool blocking) {
  return *streams_.insert(new CUstream_st{.blocking = blocking, .waiting = {}}).first;
}

bool Device::DestroyStream(cudaStream_t stream) {
  if (streams_.erase(stream) == 0) return false;
  const std::unique_ptr<CUstream_st> owned(stream);
  Finish(*owned);
  return true;
}

cudaError_t Device::Enqueue(cudaStream_t stream, std::function<cudaError_t()> work) {
  CUstream_st& own = stream == nullptr ? default_stream_ : *stream;
  // The default stream and blocking streams wait for each other.
  if (stream == nullptr || own.blocking) {
    for (const cudaStream_t other : streams_) {
      if (stream != nullptr || !other->blocking) continue;
      if (const cudaError_t error = Finish(*other); error != cudaSuccess) return error;
    }
    if (stream != nullptr) {
      if (const cudaError_t error = Finish(default_stream_); error != cudaSuccess) return error;
    }
  }
  own.waiting.push_back(std::move(work));
  return options_.deferred ? cudaSuccess : Finish(own);
}

cudaError_t Device::Synchronize(cudaStream_t stream) {
  return Finish(stream == nullptr ? default_stream_ : *stream);
}

cudaError_t Device::SynchronizeAll() {
  for (const cudaStream_t stream : streams_) {
    if (const cudaError_t error = Finish(*stream); error != cudaSuccess) return error;
  }
  return Finish(default_stream_);
}

cudaError_t Device::Finish(CUstream_st& stream) {
  while (!stream.waiting.empty()) {
    const std::function<cudaError_t()> work = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    if (const cudaError_t error = work(); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

void ResetDevice(const DeviceOptions& options) { Device::Get().Reset(options); }

std::string LastFault() { return Device::Get().fault(); }

}  // namespace vrp::emulated
