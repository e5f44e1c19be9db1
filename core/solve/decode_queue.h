// The queue of decoding requests, and the choice of the next batch.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/model/policy/policy.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// The importance of a request. Interactive requests go first.
enum class DecodeClass { kInteractive, kBulk };
inline constexpr size_t kDecodeClasses = 2;

// A request to decode one instance by a policy.
struct PolicyRequest {
  std::shared_ptr<Policy> policy;  // policy that supports the instance
  Instance instance;
  DecodeOptions options = {};  // options without a pool: see `threads`
  int32_t threads = 1;         // above 1: decoded alone, by this many threads
  DecodeClass importance = DecodeClass::kInteractive;
};

// The result of a request, and its times.
struct DecodeOutcome {
  absl::StatusOr<DecodedPlan> plan = absl::UnknownError("not decoded");
  absl::Duration waited = absl::ZeroDuration();    // time until a batch began, or until the refusal
  absl::Duration computed = absl::ZeroDuration();  // time of the batch; zero if none began
};

// A request in the queue, and the receiver of its outcome.
struct WaitingDecode {
  PolicyRequest request;
  absl::AnyInvocable<void(DecodeOutcome)> done;
  absl::Time since;
  bool done_is_quick = false;  // whether `done` only keeps the outcome for a thread that waits
};

// The time of a decoding.
struct DecodeTime {
  absl::Duration time = absl::ZeroDuration();  // zero if unknown
  bool at_least = false;                       // whether the decoding was abandoned after `time`
};

// A queue of requests that also learns decoding times. Not thread-safe.
class DecodeQueue {
 public:
  struct Limits {
    int32_t max_batch = 32;  // maximum number of requests in a batch
    // Maximum number of rows (nodes x augmentations x trajectories) of a batch of several requests;
    // 0 means no limit. On a CPU, larger batches are no faster and make each request wait longer.
    int64_t max_rows = 840;
    int32_t max_waiting = 256;  // maximum number of requests per class
  };
  explicit DecodeQueue(const Limits& limits) : limits_(limits) {}

  // Queues `waiting`. If its class has max_waiting requests, returns false and leaves `waiting`
  // unchanged.
  bool TryAdd(WaitingDecode& waiting);

  struct Taken {
    std::vector<WaitingDecode> batch;    // for one policy call; empty if nothing waits
    std::vector<WaitingDecode> expired;  // all queued requests whose stop condition holds
  };
  // Removes the next batch: the first request of the most important class, and the later and less
  // important ones that can join it. Requests can join if they have the same policy, method, width,
  // augmentations and `others`, are not large and use one thread. Requests that draw samples cannot
  // join, because random numbers depend on the position in a batch. Multi-start requests also need
  // the same number of nodes. Judged by recent times, the batch must end before its earliest
  // deadline. Requests with improvement also need the same rounds and seed. None of them may end
  // before half of the first one's time.
  Taken Take(absl::Time now);

  // Records that a batch like `first`, with `rows` rows in all, was decoded in `took`, which does
  // not include the time of improvement.
  void RecordTime(const PolicyRequest& first, int64_t rows, absl::Duration took);
  // Records that a batch like `first`, with `rows` rows in all, was abandoned after `took`, at
  // `ended`.
  void RecordAbandoned(const PolicyRequest& first, int64_t rows, absl::Duration took,
                       absl::Time ended);
  // Records an estimate of the time for `rows` rows by the policy and method of `like`. The queue
  // uses the estimate until RecordTime records a time. Has no effect if a time is known.
  void RecordEstimate(const PolicyRequest& like, int64_t rows, DecodeTime estimate);
  // Returns an estimate of the time for `rows` rows, from recent decodings by the policy and method
  // of `like` or from RecordEstimate. The estimate is for a thread that has nothing else to do.
  DecodeTime TimeOf(const PolicyRequest& like, int64_t rows) const;
  // Returns the same estimate as a duration; zero if unknown.
  absl::Duration ExpectedTime(const PolicyRequest& like, int64_t rows) const {
    return TimeOf(like, rows).time;
  }
  // Whether the last abandoned decoding by the same policy and method ended in the last ten
  // seconds. The decoding must have had at most the rows of `request` and taken at least
  // `time` / 1.1. It no longer counts once as many rows were decoded.
  bool WouldExceed(const PolicyRequest& request, absl::Duration time, absl::Time now) const;
  // Returns an estimate of the time for `rows` rows by the policy that was measured last.
  absl::Duration ExpectedTime(int64_t rows) const { return last_row_time_ * rows; }
  // Returns an estimate of the time for all waiting requests.
  absl::Duration ExpectedTime() const;

  int64_t waiting() const;
  // Whether the waiting requests would fill a batch if all of them could join it.
  bool HasFullBatch() const;

 private:
  std::vector<WaitingDecode> TakeExpired();
  bool CanBeBatched(const PolicyRequest& request) const;

  // The time of one row, for a policy and method.
  struct RowTime {
    absl::Duration mean = absl::ZeroDuration();  // zero if unknown
    bool at_least = false;     // whether `mean` comes from an abandoned measurement
    bool is_estimate = false;  // whether `mean` comes only from RecordEstimate
    // Rows, duration and end of the last abandoned decoding.
    int64_t failed_rows = 0;
    absl::Duration failed_after = absl::ZeroDuration();
    absl::Time failed_at = absl::InfinitePast();
  };
  using RowTimeKey = std::pair<const Policy*, DecodeMethod>;
  RowTime& RowTimeOf(const PolicyRequest& request);

  const Limits limits_;
  std::array<std::deque<WaitingDecode>, kDecodeClasses> queues_;
  std::map<RowTimeKey, RowTime> row_times_;
  absl::Duration last_row_time_;
};

// Returns nodes x augmentations x trajectories. For a batch, returns their sum.
int64_t DecodeRows(const PolicyRequest& request);
int64_t DecodeRows(const std::vector<WaitingDecode>& batch);

}  // namespace vrp
