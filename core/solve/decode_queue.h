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

// Importance of a request: interactive ones go first.
enum class DecodeClass { kInteractive, kBulk };
inline constexpr size_t kDecodeClasses = 2;

struct DecodeJoin {
  std::shared_ptr<Policy> policy;  // supports the instance
  Instance instance;
  DecodeOptions options = {};  // no pool: see `threads`
  int32_t threads = 1;         // above 1 it is decoded alone, by so many
  DecodeClass importance = DecodeClass::kInteractive;
};

struct DecodeOutcome {
  absl::StatusOr<DecodedPlan> plan = absl::UnknownError("not decoded");
  absl::Duration waited = absl::ZeroDuration();    // for a batch to begin, or for the refusal
  absl::Duration computed = absl::ZeroDuration();  // by the batch; zero if none began
};

struct WaitingDecode {
  DecodeJoin request;
  absl::AnyInvocable<void(DecodeOutcome)> done;
  absl::Time since;
  bool done_is_quick = false;  // `done` keeps the outcome for a thread that waits
};

// The time of a decoding.
struct DecodeTime {
  absl::Duration time = absl::ZeroDuration();  // zero: not known
  bool at_least = false;                       // it was abandoned after that time
};

// Not thread-safe.
class DecodeQueue {
 public:
  struct Limits {
    int32_t max_batch = 32;  // requests
    // Rows (nodes x augmentations x trajectories) of all requests of a batch. More are no faster on
    // a CPU and make each request wait longer. 0: no limit.
    int64_t max_rows = 840;
    int32_t max_waiting = 256;  // per class
  };
  explicit DecodeQueue(const Limits& limits) : limits_(limits) {}

  // Queues `waiting`. Returns false and leaves it unchanged if its class has max_waiting requests.
  bool TryAdd(WaitingDecode& waiting);

  struct Taken {
    std::vector<WaitingDecode> batch;    // for one call of the policy; empty if nothing waits
    std::vector<WaitingDecode> expired;  // all queued requests whose stop condition holds
  };
  // Removes the next batch: the first request of the most important class, with those behind it and
  // in lower classes that can join it. Requests join if they have the same model and method, draw
  // no samples (random numbers depend on the position in a batch) and are not large. By recent
  // times, the batch ends before the soonest deadline in it. Plans to improve join if none ends
  // before half of the first one's time.
  Taken Take(absl::Time now);

  // Records that requests like `first`, of `rows` rows together, were decoded in `took`.
  void Learn(const DecodeJoin& first, int64_t rows, absl::Duration took);
  // Records that such requests were abandoned after `took`, at `ended`.
  void LearnFailure(const DecodeJoin& first, int64_t rows, absl::Duration took, absl::Time ended);
  // Records the time of another instance, decoded by the policy and the method of `like`. It counts
  // until Learn knows a time.
  void LearnEstimate(const DecodeJoin& like, int64_t rows, DecodeTime estimate);
  // Returns the time of so many rows, judged by recent decodings by the policy and the method of
  // `like`, for a thread that has nothing else to do.
  DecodeTime TimeOf(const DecodeJoin& like, int64_t rows) const;
  // Returns the same as a duration; zero if it is not known.
  absl::Duration ExpectedTime(const DecodeJoin& like, int64_t rows) const {
    return TimeOf(like, rows).time;
  }
  // Whether a decoding by the same policy and method, of no more rows, was abandoned within the
  // last ten seconds after `time` or longer.
  bool WouldExceed(const DecodeJoin& request, absl::Duration time, absl::Time now) const;
  // Returns the time of so many rows by the policy that was learned last.
  absl::Duration ExpectedTime(int64_t rows) const { return last_row_time_ * rows; }
  // Returns the time of all waiting requests.
  absl::Duration ExpectedTime() const;

  int64_t waiting() const;
  // Whether more would not fit into the next batch.
  bool HasFullBatch() const;

 private:
  std::vector<WaitingDecode> TakeExpired();
  bool IsJoined(const DecodeJoin& request) const;

  // The time of one row, for a policy and method.
  struct RowTime {
    absl::Duration mean = absl::ZeroDuration();  // zero: not known
    bool at_least = false;                       // the mean is of an abandoned decoding
    bool is_estimate = false;                    // from LearnEstimate only
    // The last abandoned decoding.
    int64_t failed_rows = 0;
    absl::Duration failed_after = absl::ZeroDuration();
    absl::Time failed_at = absl::InfinitePast();
  };
  using RowTimeKey = std::pair<const Policy*, DecodeMethod>;
  RowTime& RowTimeOf(const DecodeJoin& request);

  const Limits limits_;
  std::array<std::deque<WaitingDecode>, kDecodeClasses> queues_;
  std::map<RowTimeKey, RowTime> row_times_;
  absl::Duration last_row_time_;
};

// Returns nodes x augmentations x trajectories; for a batch their sum.
int64_t DecodeRows(const DecodeJoin& request);
int64_t DecodeRows(const std::vector<WaitingDecode>& batch);

}  // namespace vrp
