// Keeps matrices of road networks in memory.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/roads/road_matrices.h"

namespace vrp {

// A cache that answers for the places of an entry, and for any subset of them in any order. Drops
// the least recently used entries first. Thread-safe.
class RoadCache {
 public:
  explicit RoadCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns the matrices between distinct `places`, in their order, or null.
  std::shared_ptr<const RoadMatrices> Find(std::string_view network,
                                           const std::vector<RoadPlace>& places, absl::Time now);
  // Adds matrices until `expires`, unless they exceed the cache, and drops entries of the network
  // for subsets of their places.
  void Add(std::string_view network, std::shared_ptr<const RoadMatrices> matrices,
           absl::Time expires);

  // Returns the memory of the entries in bytes.
  size_t bytes() const;

 private:
  using Index = std::unordered_map<RoadPlace, size_t>;  // the row of each place
  struct Entry {
    std::string network;
    std::shared_ptr<const RoadMatrices> matrices;
    std::shared_ptr<const Index> index;
    absl::Time expires;

    size_t bytes() const;
    bool Contains(const std::vector<RoadPlace>& places) const;
  };
  using Entries = std::list<Entry>;
  void Drop(Entries::iterator entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_bytes_;
  mutable absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);  // the most recently used first
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace vrp
