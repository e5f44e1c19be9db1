// How many of the daemon's threads compute at the moment.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// Counts what takes threads for long: searches, solve jobs, trainings, evaluations. Thread-safe.
class BusyThreads {
 public:
  // Threads that are counted as busy while it lives. Movable.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), threads_(other.threads_) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(threads_, other.threads_);
      return *this;
    }
    ~Lease() {
      if (owner_ != nullptr) owner_->Return(threads_);
    }

    int32_t threads() const { return threads_; }

   private:
    friend class BusyThreads;
    Lease(BusyThreads* owner, int32_t threads) : owner_(owner), threads_(threads) {}

    BusyThreads* owner_ = nullptr;
    int32_t threads_ = 0;
  };

  // `total`: threads that there are. It outlives its leases.
  explicit BusyThreads(int32_t total) : total_(total) {}
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

  // Exactly so many, idle or not.
  Lease Take(int32_t threads);
  // As many as are idle: `most` at most, 1 at least.
  Lease TakeIdle(int32_t most);
  int32_t busy() const;

 private:
  void Return(int32_t threads);

  const int32_t total_;
  mutable absl::Mutex mutex_;
  int32_t busy_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace vrp
