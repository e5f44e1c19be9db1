// That a GPU was lost, kept for those who are asked, and told to who wants to know at once.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// Thread-safe.
class DeviceLossNotice {
 public:
  void Set(const absl::Status& lost) {
    absl::MutexLock lock(&mutex_);
    text_ = std::string(lost.message());
    if (told_ != nullptr) told_();
  }
  // Empty: none was lost.
  std::string text() const {
    absl::MutexLock lock(&mutex_);
    return text_;
  }
  // Told of a loss, and at once of one that has been. It is not told any more when a later call
  // returns.
  void SetTold(std::function<void()> told) {
    absl::MutexLock lock(&mutex_);
    told_ = std::move(told);
    if (told_ != nullptr && !text_.empty()) told_();
  }

 private:
  mutable absl::Mutex mutex_;
  std::string text_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> told_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
