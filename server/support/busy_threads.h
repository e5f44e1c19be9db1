// Counts the threads that compute at the moment.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// A counter of the threads of long work: searches, solve jobs, training jobs, evaluations.
// Thread-safe.
class BusyThreads {
 public:
  // Threads that count as busy while the lease lives. Movable.
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

  // Creates a counter for `total` threads to share. The counter must outlive its leases.
  explicit BusyThreads(int32_t total) : total_(total) {}
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

  // Leases exactly `threads`, even if fewer are idle.
  Lease Take(int32_t threads);
  // Leases the idle threads, at most `max_threads`. Leases one thread if none is idle.
  Lease TakeIdle(int32_t max_threads);
  int32_t busy() const;
  int32_t total() const { return total_; }

 private:
  void Return(int32_t threads);

  const int32_t total_;
  mutable absl::Mutex mutex_;
  int32_t busy_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace vrp
