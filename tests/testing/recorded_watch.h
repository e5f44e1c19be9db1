// Records the phases that code reports to a WatchFn.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/text.h"
#include "core/base/watch.h"

namespace vrp::test {

// A recorder of phases. Thread-safe. Must outlive the code that it watches.
class RecordedWatch {
 public:
  // Returns a function that records the beginning and the end of each phase.
  WatchFn Function() {
    return [this](std::string_view phase, std::string_view object) -> std::shared_ptr<const void> {
      std::string event = object.empty() ? std::string(phase) : Concat(phase, " of ", object);
      Add(event);
      return std::shared_ptr<const void>(
          this, [this, event = std::move(event)](const void*) { Add(Concat("end of ", event)); });
    };
  }
  // Returns the events since the last call: "import of models/a", "end of import of models/a".
  std::vector<std::string> Take() {
    absl::MutexLock lock(&mutex_);
    return std::exchange(events_, {});
  }

 private:
  void Add(std::string event) {
    absl::MutexLock lock(&mutex_);
    events_.push_back(std::move(event));
  }

  absl::Mutex mutex_;
  std::vector<std::string> events_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp::test
