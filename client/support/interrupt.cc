#include "client/support/interrupt.h"

#include <algorithm>
#include <utility>

namespace vrp::client {

Interrupt::Handle::Handle(Interrupt& interrupt, std::function<void()> callback)
    : interrupt_(interrupt) {
  const std::lock_guard<std::mutex> lock(interrupt_.mutex_);
  key_ = interrupt_.next_key_++;
  if (interrupt_.triggered_) callback();
  interrupt_.callbacks_.emplace(key_, std::move(callback));
}

Interrupt::Handle::~Handle() {
  const std::lock_guard<std::mutex> lock(interrupt_.mutex_);
  interrupt_.callbacks_.erase(key_);
}

void Interrupt::Trigger() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (triggered_) return;
  triggered_ = true;
  changed_.notify_all();
  for (const auto& [key, callback] : callbacks_) callback();
}

bool Interrupt::triggered() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return triggered_;
}

bool Interrupt::WaitFor(absl::Duration duration) const {
  constexpr absl::Duration kLongest = absl::Hours(24 * 365);  // now + kLongest must not overflow
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, absl::ToChronoNanoseconds(std::min(duration, kLongest)),
                           [this] { return triggered_; });
}

}  // namespace vrp::client
