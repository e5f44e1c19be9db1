// What waits for a network, and what of it goes next, together.
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

// Who waits: the first named go first.
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
  absl::Duration computed = absl::ZeroDuration();  // by the batch; zero: none was begun
};

struct WaitingDecode {
  DecodeJoin request;
  absl::AnyInvocable<void(DecodeOutcome)> done;
  absl::Time since;
  bool done_is_quick = false;  // `done` keeps the outcome for a thread that waits
};

// How long a decoding takes.
struct DecodeTime {
  absl::Duration time = absl::ZeroDuration();  // zero: not known
  bool at_least = false;                       // it was given up after so long
};

// Not thread-safe.
class DecodeQueue {
 public:
  struct Limits {
    int32_t max_batch = 32;  // requests
    // Of joined requests: nodes x augmentations x trajectories, summed. More is no faster on a CPU,
    // and whoever waits for it waits longer. 0: no limit.
    int64_t max_rows = 840;
    int32_t max_waiting = 256;  // of each class
  };
  explicit DecodeQueue(const Limits& limits) : limits_(limits) {}

  // False, and `waiting` as it was: its class has max_waiting requests.
  bool TryAdd(WaitingDecode& waiting);

  struct Taken {
    std::vector<WaitingDecode> batch;    // can be decoded in one call; empty: nothing waits
    std::vector<WaitingDecode> expired;  // their stop came; all of the queue's
  };
  // The first of the most important class with those behind it, of lower classes too, that can join
  // it: the same model and method, no samples (their random numbers depend on the place in a batch)
  // and nothing large; and no more than, by the times of late, are done by the soonest deadline
  // among them. Plans to improve are joined where none ends before half of the first's time.
  Taken Take(absl::Time now);

  // Records that requests like `first`, of `rows` rows together, were decoded in `took`.
  void Learn(const DecodeJoin& first, int64_t rows, absl::Duration took);
  // Records that they were given up after `took`, at `ended`.
  void LearnFailure(const DecodeJoin& first, int64_t rows, absl::Duration took, absl::Time ended);
  // Records the time of another instance, decoded by the policy and the method of `like`. It counts
  // until Learn knows a time.
  void LearnEstimate(const DecodeJoin& like, int64_t rows, DecodeTime estimate);
  // Returns the time of so many rows, judged by recent decodings by the policy and the method of
  // `like`, for a thread that has nothing else to do.
  DecodeTime TimeOf(const DecodeJoin& like, int64_t rows) const;
  // Likewise; zero if it is not known.
  absl::Duration ExpectedTime(const DecodeJoin& like, int64_t rows) const {
    return TimeOf(like, rows).time;
  }
  // Whether a decoding by the same policy and method, of no more rows, was given up within the last
  // ten seconds after `time` or longer.
  bool WouldExceed(const DecodeJoin& request, absl::Duration time, absl::Time now) const;
  // By whatever policy was last learned of.
  absl::Duration ExpectedTime(int64_t rows) const { return last_row_time_ * rows; }
  // Of all that waits.
  absl::Duration ExpectedTime() const;

  int64_t waiting() const;
  // Whether more would not fit into the next batch.
  bool HasFullBatch() const;

 private:
  std::vector<WaitingDecode> TakeExpired();
  bool IsJoined(const DecodeJoin& request) const;

  // How fast a policy decodes by one method.
  struct RowTime {
    absl::Duration mean = absl::ZeroDuration();  // zero: not known
    bool at_least = false;                       // the mean is of a decoding that was given up
    bool is_estimate = false;                    // by LearnEstimate alone
    // The last decoding that was given up.
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

// nodes x augmentations x trajectories; of a batch their sum.
int64_t DecodeRows(const DecodeJoin& request);
int64_t DecodeRows(const std::vector<WaitingDecode>& batch);

}  // namespace vrp
