// How busy the devices of a program are. Knows neither torch nor CUDA.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/device/device.h"

namespace vrp {

// A counter of the work on each device: runs of training, and batches that networks decode.
// Thread-safe.
class DeviceLoad {
 public:
  // A piece of work, which counts while the lease lives. Movable.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), device_(other.device_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (owner_ != nullptr) owner_->End(device_);
    }

    DeviceId device() const { return device_; }

   private:
    friend class DeviceLoad;
    Lease(DeviceLoad* owner, DeviceId device) : owner_(owner), device_(device) {}

    DeviceLoad* owner_ = nullptr;
    DeviceId device_;
  };

  DeviceLoad() = default;
  DeviceLoad(const DeviceLoad&) = delete;
  DeviceLoad& operator=(const DeviceLoad&) = delete;

  // Begins work on `device`. The load must outlive the lease.
  Lease Begin(DeviceId device) {
    absl::MutexLock lock(&mutex_);
    return BeginLocked(device);
  }
  // Begins work on the device of `devices` with the least work; of equal ones, the first. There
  // must be one.
  Lease BeginOnLeastBusy(std::span<const DeviceId> devices) {
    absl::MutexLock lock(&mutex_);
    DeviceId least = devices.front();
    for (const DeviceId device : devices) {
      if (Count(device) < Count(least)) least = device;
    }
    return BeginLocked(least);
  }
  // Returns the number of pieces of work on `device`.
  int32_t count(DeviceId device) const {
    absl::MutexLock lock(&mutex_);
    return Count(device);
  }

 private:
  using Key = std::pair<DeviceKind, int32_t>;

  Lease BeginLocked(DeviceId device) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    ++counts_[{device.kind, device.index}];
    return {this, device};
  }
  int32_t Count(DeviceId device) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto found = counts_.find({device.kind, device.index});
    return found == counts_.end() ? 0 : found->second;
  }
  void End(DeviceId device) {
    absl::MutexLock lock(&mutex_);
    --counts_[{device.kind, device.index}];
  }

  mutable absl::Mutex mutex_;
  std::map<Key, int32_t> counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
