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
// together. On an idle network, a request starts as soon as a thread is free. Each request gets the
// plan that it would get alone, except that all improvements of a batch end with the first of them.
// Thread-safe.
class DecodeBatcher {
 public:
  // A finished batch.
  struct Report {
    std::vector<absl::Duration> waited;  // waiting time of each request
    absl::Duration computed;             // time of the decoding
  };
  struct Options {
    DecodeQueue::Limits limits = {};
    int32_t max_running = 1;  // maximum number of concurrent batches
    // Maximum time for which a batch that is not full waits for more requests while the networks
    // are busy. They are busy while another batch runs, and for `max_delay` after a batch of
    // several requests has ended.
    absl::Duration max_delay = absl::ZeroDuration();
    // Posts a task to the pool threads, after the tasks that already wait there.
    std::function<void(absl::AnyInvocable<void()>)> run_later;
    // Whether other work waits for the pool threads. Pool threads run that work before the next
    // batch.
    std::function<bool()> has_other_work;
    std::function<void(const Report&)> on_batch = nullptr;  // optional
    WatchFn watch = nullptr;  // watches each batch as phase "decode batch"
  };
  explicit DecodeBatcher(Options options);
  // Requires that no request waits or runs.
  ~DecodeBatcher() = default;
  DecodeBatcher(const DecodeBatcher&) = delete;
  DecodeBatcher& operator=(const DecodeBatcher&) = delete;

  // Queues the request. Calls `done` once, before returning or on another thread: a pool thread, or
  // one that calls Decode. Calls it:
  // - with kResourceExhausted, at once, if too many requests wait;
  // - with kDeadlineExceeded or kCancelled, if request.options.stop fires before a batch begins;
  // - with kCancelled, if it is cancelled while a batch of several requests decodes it;
  // - otherwise with the policy's result, which may be late if others were decoded with it.
  // Only pool threads may call Submit, because Submit may run batches before it returns.
  void Submit(PolicyRequest request, absl::AnyInvocable<void(DecodeOutcome)> done);

  // Queues the request, blocks until it is decoded and returns its outcome. Any thread may call
  // Decode, which may run batches on that thread.
  DecodeOutcome Decode(PolicyRequest request);

  // Returns an estimate, from recent times, of how long a request that arrives now waits for its
  // batch.
  absl::Duration ExpectedWait() const;
  // Returns an estimate, for the policy that was measured last, of the time for `rows` rows (nodes
  // x augmentations x trajectories). Returns zero if no time is known.
  absl::Duration ExpectedTime(int64_t rows) const;
  // Returns an estimate, from recent decodings by its policy and method, of how long `request`
  // takes once it has begun. If there were none, blocks to measure a small instance, for at most
  // kMaxMeasuringTime and only if that ends before `until`. Returns zero if the time is not known.
  DecodeTime TimeOf(const PolicyRequest& request, absl::Time until);
  // Whether a recently abandoned decoding shows that `request` takes longer than `time`. After ten
  // seconds, another attempt is allowed.
  bool WouldExceed(const PolicyRequest& request, absl::Duration time) const;
  int64_t waiting() const;
  const Options& options() const { return options_; }

 private:
  // Queues the request. If too many wait, calls `done` with kResourceExhausted and returns false.
  bool TryQueue(WaitingDecode waiting);
  // Runs batches until none can start or other work waits for the pool threads.
  void RunWaiting();
  // Posts a task that runs batches, unless enough batches run or are posted.
  void PostIfNeeded();
  // Runs a batch and refuses expired requests. Returns false if no request waits or max_running
  // batches run.
  bool RunOne();
  void Run(std::vector<WaitingDecode> batch);
  // Delivers an outcome without a plan. Unless `done` is quick, does so in a separate task, since
  // its receiver may search for a long time.
  void DeliverFailure(WaitingDecode waiting, DecodeOutcome outcome);
  struct Span {
    absl::Time begun, ended;
  };
  void Learn(const std::vector<WaitingDecode>& batch, const absl::StatusOr<DecodedPlan>& plan,
             const Span& span) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // If the networks are busy, waits for a full batch or an empty queue, for at most max_delay.
  void AwaitMore() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool CanStartBatch() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return running_ < options_.max_running && queue_.waiting() > 0;
  }

  const Options options_;
  mutable absl::Mutex mutex_;
  SteadyCondVar changed_;  // signals that queue_ changed
  DecodeQueue queue_ ABSL_GUARDED_BY(mutex_);
  int32_t running_ ABSL_GUARDED_BY(mutex_) = 0;
  int32_t posted_ ABSL_GUARDED_BY(mutex_) = 0;  // tasks that have not begun
  // End of the last batch of several requests.
  absl::Time joined_ended_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace vrp
