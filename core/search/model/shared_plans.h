// Plans that searches side by side exchange.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// The last plans that were the best of their search. Thread-safe; holds its lock for a copy of a
// plan at most.
class SharedPlans {
 public:
  // `search` identifies the search.
  void Offer(int32_t search, Plan plan);
  // The plans of other searches since the last call with this `seen` (0 at first), oldest first; a
  // search that asks seldom misses some.
  std::vector<Plan> TakeNew(int32_t search, int64_t& seen);

 private:
  static constexpr size_t kKept = 32;

  struct Offered {
    int32_t search = 0;
    Plan plan;
  };

  absl::Mutex mutex_;
  std::deque<Offered> offered_ ABSL_GUARDED_BY(mutex_);  // the last has the number count_
  int64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace vrp
