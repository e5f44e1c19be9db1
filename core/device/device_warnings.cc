#include "core/device/device_warnings.h"

#include <iostream>
#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace vrp {
namespace {

class DeviceWarnings {
 public:
  static DeviceWarnings& Global() {
    // Never destroyed, because threads may warn until the process ends.
    static auto* const warnings = new DeviceWarnings;
    return *warnings;
  }

  void Warn(std::string_view text) {
    const absl::MutexLock lock(&mutex_);
    if (std::ssize(seen_) == kMaxDeviceWarnings) return;
    if (!seen_.emplace(text).second) return;
    if (listener_ != nullptr) {
      listener_(text);
    } else {
      std::cerr << text << std::endl;
    }
  }

  void Listen(std::function<void(std::string_view)> listener) {
    const absl::MutexLock lock(&mutex_);
    listener_ = std::move(listener);
  }

 private:
  absl::Mutex mutex_;
  std::set<std::string, std::less<>> seen_ ABSL_GUARDED_BY(mutex_);
  std::function<void(std::string_view)> listener_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

void ReportDeviceWarning(std::string_view text) { DeviceWarnings::Global().Warn(text); }

void SetDeviceWarningListener(std::function<void(std::string_view)> listener) {
  DeviceWarnings::Global().Listen(std::move(listener));
}

}  // namespace vrp
