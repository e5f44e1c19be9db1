// Joins concurrent decoding requests into batches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/steady_cond_var.h"
#include "core/base/watch.h"
#include "core/solve/decode_queue.h"

namespace vrp {

// Returns the time after which to retry a request that a batcher refused with kResourceExhausted;
// nullopt for any other status.
std::optional<absl::Duration> RetryDelayOf(const absl::Status& status);

// A queue in front of the networks. Requests that arrive while networks run wait and are decoded
// together; on an idle network a request starts at once. Each gets the plan that it would get
// alone. Thread-safe.
class DecodeBatcher {
 public:
  // A finished batch.
  struct Report {
    std::vector<absl::Duration> waited;  // of each request
    absl::Duration computed;
  };
  struct Options {
    DecodeQueue::Limits limits = {};
    int32_t max_running = 1;  // batches at a time
    // How long a batch that is not full waits for more while the networks are busy: another one is
    // running, or one of several requests has just ended.
    absl::Duration max_delay = absl::ZeroDuration();
    // Runs the task on a thread of a pool, after the tasks that already wait there.
    std::function<void(absl::AnyInvocable<void()>)> run_later;
    // Whether other work waits for those threads. It runs before the next batch.
    std::function<bool()> others_wait;
    std::function<void(const Report&)> on_batch = nullptr;  // optional
    WatchFn watch = nullptr;  // watches each batch as phase "decode batch"
  };
  explicit DecodeBatcher(Options options);
  // No request may be waiting or running.
  ~DecodeBatcher() = default;
  DecodeBatcher(const DecodeBatcher&) = delete;
  DecodeBatcher& operator=(const DecodeBatcher&) = delete;

  // Queues the request. Calls `done` once, before this returns or on a thread of the pool:
  // - with kResourceExhausted, at once, if too many requests wait;
  // - with kDeadlineExceeded or kCancelled, if options.stop comes first;
  // - otherwise with the policy's result, which may be late if others were decoded with it.
  // Only for threads of the pool: they may run batches before they return.
  void Submit(DecodeJoin request, absl::AnyInvocable<void(DecodeOutcome)> done);

  // Queues the request and blocks for its outcome. For any thread, which may run the batch itself.
  DecodeOutcome Decode(DecodeJoin request);

  // Estimates how long a request that arrives now waits for its batch, by recent times.
  absl::Duration ExpectedWait() const;
  // Estimates how long so many rows (nodes x augmentations x trajectories) take, by the policy that
  // was measured last. Zero if no time is known.
  absl::Duration ExpectedTime(int64_t rows) const;
  // Estimates how long `request` takes once it is begun, by recent decodings of its policy and
  // method. If there were none, blocks to measure a small instance: for kMostMeasuring at most, and
  // only if that is before `until`. Zero if the time is not known.
  DecodeTime TimeOf(const DecodeJoin& request, absl::Time until);
  // Whether a decoding that was given up lately shows that `request` takes longer than `time`.
  // After ten seconds it is worth another try.
  bool WouldExceed(const DecodeJoin& request, absl::Duration time) const;
  int64_t waiting() const;
  const Options& options() const { return options_; }

 private:
  bool TryQueue(WaitingDecode waiting);
  void RunWaiting();
  void PostIfNeeded();
  // Runs a batch if one waits and fewer than max_running run. Returns whether it did.
  bool RunOne();
  void Run(std::vector<WaitingDecode> batch);
  // Passes on an outcome without a plan in a separate task, since its receiver may search for long.
  void Refuse(WaitingDecode waiting, DecodeOutcome outcome);
  struct Span {
    absl::Time begun, ended;
  };
  void Learn(const std::vector<WaitingDecode>& batch, const absl::StatusOr<DecodedPlan>& plan,
             const Span& span) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AwaitMore() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasPlace() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return running_ < options_.max_running && queue_.waiting() > 0;
  }

  const Options options_;
  mutable absl::Mutex mutex_;
  SteadyCondVar changed_;  // signals that queue_ changed
  DecodeQueue queue_ ABSL_GUARDED_BY(mutex_);
  int32_t running_ ABSL_GUARDED_BY(mutex_) = 0;
  int32_t posted_ ABSL_GUARDED_BY(mutex_) = 0;  // passed to run_later, not begun yet
  absl::Time joined_ended_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace vrp
