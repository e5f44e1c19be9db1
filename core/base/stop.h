// Conditions that end anytime work: a deadline, which may be moved, and a flag that another thread
// may set.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "core/base/steady_time.h"

namespace vrp {

// The reason why work must stop.
enum class StopReason { kNone, kDeadline, kCancelled };

// A flag shared by the thread that cancels and the threads that poll it. Thread-safe.
class CancelFlag {
 public:
  CancelFlag() = default;
  // Creates a flag that also counts as cancelled when `parent` is cancelled. For example, a daemon
  // that stops cancels its calls. `parent` may be null.
  explicit CancelFlag(std::shared_ptr<const CancelFlag> parent) : parent_(std::move(parent)) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) ||
           (parent_ != nullptr && parent_->cancelled());
  }
  // Whether only the parent flag is cancelled.
  bool cancelled_by_parent_only() const {
    return !cancelled_.load(std::memory_order_relaxed) && cancelled();
  }

 private:
  std::atomic<bool> cancelled_{false};
  const std::shared_ptr<const CancelFlag> parent_;
};

// A deadline that its owner moves while others poll it. Times are those of SteadyNow. Thread-safe.
class MovableDeadline {
 public:
  explicit MovableDeadline(absl::Time deadline) : nanos_(absl::ToUnixNanos(deadline)) {}

  // Returns the deadline. A deadline beyond the year 2262 becomes infinite, because an int64 counts
  // nanoseconds.
  absl::Time time() const {
    const int64_t nanos = nanos_.load(std::memory_order_relaxed);
    return nanos == INT64_MAX ? absl::InfiniteFuture() : absl::FromUnixNanos(nanos);
  }
  // Moves the deadline to `deadline` if `deadline` is later. A deadline that has passed does not
  // move.
  void Extend(absl::Time deadline) {
    const int64_t later = absl::ToUnixNanos(deadline);
    int64_t nanos = nanos_.load(std::memory_order_relaxed);
    const int64_t now = absl::ToUnixNanos(SteadyNow());
    while (nanos > now && nanos < later && !nanos_.compare_exchange_weak(nanos, later)) {
    }
  }
  // Moves the deadline to now, unless it has passed.
  void EndNow() {
    const int64_t now = absl::ToUnixNanos(SteadyNow());
    int64_t nanos = nanos_.load(std::memory_order_relaxed);
    while (nanos > now && !nanos_.compare_exchange_weak(nanos, now)) {
    }
  }

 private:
  std::atomic<int64_t> nanos_;
};

// A condition that every loop of a solver polls at least once a millisecond, and a trainer between
// steps. Deadlines are times of SteadyNow. Copyable and thread-safe.
class StopCondition {
 public:
  StopCondition() = default;  // never stops
  // Creates a condition that stops at `deadline`, on `cancel`, or at the second deadline `movable`.
  // Both pointers may be null.
  StopCondition(absl::Time deadline, std::shared_ptr<const CancelFlag> cancel,
                std::shared_ptr<const MovableDeadline> movable = nullptr)
      : deadline_(deadline), cancel_(std::move(cancel)), movable_(std::move(movable)) {}

  // Returns the reason to stop, or kNone. Returns kCancelled if both a cancellation and a deadline
  // apply.
  StopReason Check() const {
    if (cancel_ != nullptr && cancel_->cancelled()) return StopReason::kCancelled;
    const absl::Time end = deadline();
    if (end != absl::InfiniteFuture() && SteadyNow() >= end) return StopReason::kDeadline;
    return StopReason::kNone;
  }
  bool ShouldStop() const { return Check() != StopReason::kNone; }

  // Returns the current deadline, which searches use to plan their time. Later calls may return
  // another deadline.
  absl::Time deadline() const {
    return movable_ == nullptr ? deadline_ : std::min(deadline_, movable_->time());
  }
  // Returns a condition with the same cancellation and second deadline, whose first deadline is the
  // sooner of `deadline` and this condition's.
  StopCondition Sooner(absl::Time deadline) const {
    return {std::min(deadline_, deadline), cancel_, movable_};
  }
  // Returns a condition with the same deadline and cancellation, and with `movable` as the second
  // deadline.
  StopCondition WithMovableDeadline(std::shared_ptr<const MovableDeadline> movable) const {
    return {deadline_, cancel_, std::move(movable)};
  }

 private:
  absl::Time deadline_ = absl::InfiniteFuture();
  std::shared_ptr<const CancelFlag> cancel_;
  std::shared_ptr<const MovableDeadline> movable_;
};

}  // namespace vrp
