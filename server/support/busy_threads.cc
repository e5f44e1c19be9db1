#include "server/support/busy_threads.h"

#include <algorithm>

namespace vrp {

BusyThreads::Lease BusyThreads::Take(int32_t threads) {
  absl::MutexLock lock(&mutex_);
  busy_ += threads;
  return {this, threads};
}

BusyThreads::Lease BusyThreads::TakeIdle(int32_t max_threads) {
  absl::MutexLock lock(&mutex_);
  const int32_t threads = std::max(1, std::min(max_threads, total_ - busy_));
  busy_ += threads;
  return {this, threads};
}

int32_t BusyThreads::busy() const {
  absl::MutexLock lock(&mutex_);
  return busy_;
}

void BusyThreads::Return(int32_t threads) {
  absl::MutexLock lock(&mutex_);
  busy_ -= threads;
}

}  // namespace vrp
