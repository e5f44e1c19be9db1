#include "client/interrupt.h"

#include <utility>

namespace vrp::client {

Interrupt::Handle::Handle(Interrupt& interrupt, std::function<void()> callback)
    : interrupt_(interrupt) {
  absl::MutexLock lock(&interrupt_.mutex_);
  key_ = interrupt_.next_key_++;
  if (interrupt_.triggered_) callback();
  interrupt_.callbacks_.emplace(key_, std::move(callback));
}

Interrupt::Handle::~Handle() {
  absl::MutexLock lock(&interrupt_.mutex_);
  interrupt_.callbacks_.erase(key_);
}

void Interrupt::Trigger() {
  absl::MutexLock lock(&mutex_);
  if (triggered_) return;
  triggered_ = true;
  for (const auto& [key, callback] : callbacks_) callback();
}

bool Interrupt::triggered() const {
  absl::MutexLock lock(&mutex_);
  return triggered_;
}

bool Interrupt::WaitFor(absl::Duration duration) const {
  absl::MutexLock lock(&mutex_);
  mutex_.AwaitWithTimeout(absl::Condition(&triggered_), duration);
  return triggered_;
}

}  // namespace vrp::client
