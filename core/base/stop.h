// When anytime work has to end: a deadline, and a flag that another thread may set.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "core/base/steady_time.h"

namespace vrp {

enum class StopReason { kNone, kDeadline, kCancelled };

// Shared by the one who may cancel and those who poll. Thread-safe.
class CancelFlag {
 public:
  CancelFlag() = default;
  // Cancelled with `wider` too, as a call is when its daemon stops; null: by itself alone.
  explicit CancelFlag(std::shared_ptr<const CancelFlag> wider) : wider_(std::move(wider)) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) || (wider_ != nullptr && wider_->cancelled());
  }
  // Whether it is cancelled, and by nobody but the wider one.
  bool cancelled_by_wider_alone() const {
    return !cancelled_.load(std::memory_order_relaxed) && cancelled();
  }

 private:
  std::atomic<bool> cancelled_{false};
  const std::shared_ptr<const CancelFlag> wider_;
};

// Polled in every loop of a solver or a trainer, at least once a millisecond. Copyable;
// thread-safe.
class StopCondition {
 public:
  StopCondition() = default;  // never stops
  StopCondition(absl::Time deadline, std::shared_ptr<const CancelFlag> cancel)
      : deadline_(deadline), cancel_(std::move(cancel)) {}

  StopReason Check() const {
    if (cancel_ != nullptr && cancel_->cancelled()) return StopReason::kCancelled;
    const bool ends = deadline_ != absl::InfiniteFuture();
    if (ends && SteadyNow() >= deadline_) return StopReason::kDeadline;
    return StopReason::kNone;
  }
  bool ShouldStop() const { return Check() != StopReason::kNone; }

  absl::Time deadline() const { return deadline_; }
  // The same cancellation with the sooner of both deadlines.
  StopCondition Sooner(absl::Time deadline) const {
    return {std::min(deadline_, deadline), cancel_};
  }

 private:
  absl::Time deadline_ = absl::InfiniteFuture();
  std::shared_ptr<const CancelFlag> cancel_;
};

}  // namespace vrp
