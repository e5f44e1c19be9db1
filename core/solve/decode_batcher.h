// Joins what concurrent requests ask of networks into batches.
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

// Of a kResourceExhausted by which a batcher refused a request: after which time to try again.
// Nothing for any other status.
std::optional<absl::Duration> RetryDelayOf(const absl::Status& status);

// Batches form by themselves: what arrives while networks are running waits and is decoded
// together; on an idle network a request starts at once. Its plan is the one that it gets alone.
// Thread-safe.
class DecodeBatcher {
 public:
  // A batch that was run.
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
    // Runs the task on a thread of a pool, after what waits there already.
    std::function<void(absl::AnyInvocable<void()>)> run_later;
    // Whether other work waits for those threads: it goes before the next batch.
    std::function<bool()> others_wait;
    std::function<void(const Report&)> on_batch = nullptr;  // null: nobody is told
    WatchFn watch = nullptr;                                // of each "decode batch"
  };
  explicit DecodeBatcher(Options options);
  // Nothing may wait or be under way.
  ~DecodeBatcher() = default;
  DecodeBatcher(const DecodeBatcher&) = delete;
  DecodeBatcher& operator=(const DecodeBatcher&) = delete;

  // `done` is called once, before this returns or by a thread of the pool: with kResourceExhausted
  // at once where too many wait; with kDeadlineExceeded or kCancelled where options.stop comes
  // first, undecoded if it came before the batch; else with what the policy gave, which may be late
  // where others were decoded with it. To be called by threads of the pool: they may run batches
  // before they return.
  void Submit(DecodeJoin request, absl::AnyInvocable<void(DecodeOutcome)> done);

  // Likewise, and waits. For any thread; it may run the batch itself.
  DecodeOutcome Decode(DecodeJoin request);

  // By the times of late, how long a request that arrives now waits for its batch.
  absl::Duration ExpectedWait() const;
  // Likewise, how long so many nodes x augmentations x trajectories take by whatever policy; zero
  // where that is not known.
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
  void RunWhatWaits();
  void PostIfNeeded();
  // A batch, where one waits and there is a place for it; whether it did anything.
  bool RunOne();
  void Run(std::vector<WaitingDecode> batch);
  // Hands over an outcome that is no plan. What follows may take long (a search in its place), so
  // a task of its own does it.
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
  SteadyCondVar changed_;  // what waits
  DecodeQueue queue_ ABSL_GUARDED_BY(mutex_);
  int32_t running_ ABSL_GUARDED_BY(mutex_) = 0;
  int32_t posted_ ABSL_GUARDED_BY(mutex_) = 0;  // given to run_later and not begun
  absl::Time joined_ended_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace vrp
