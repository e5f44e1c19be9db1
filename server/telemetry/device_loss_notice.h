// Records the loss of a GPU and calls a listener.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// The notice of a loss. Thread-safe.
class DeviceLossNotice {
 public:
  void Set(const absl::Status& lost) {
    absl::MutexLock lock(&mutex_);
    text_ = std::string(lost.message());
    if (listener_ != nullptr) listener_();
  }
  // Returns the message of the loss; empty if no GPU was lost.
  std::string text() const {
    absl::MutexLock lock(&mutex_);
    return text_;
  }
  // Replaces the listener, which must not call the notice. The notice calls the listener at a loss,
  // and at once if a GPU was already lost. After the return, the previous listener is no longer
  // called.
  void SetListener(std::function<void()> listener) {
    absl::MutexLock lock(&mutex_);
    listener_ = std::move(listener);
    if (listener_ != nullptr && !text_.empty()) listener_();
  }

 private:
  mutable absl::Mutex mutex_;
  std::string text_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> listener_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
