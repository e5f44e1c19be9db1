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
#include "core/model/policy.h"
#include "core/problem/instance.h"

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
};

// Not thread-safe.
class DecodeQueue {
 public:
  struct Limits {
    int32_t max_batch = 32;  // requests
    // Of joined requests: nodes x pictures x trajectories, summed. More is no faster on a CPU, and
    // whoever waits for it waits longer. 0: no limit.
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

  // Requests like `first`, of so many rows together, took so long, until `ended`.
  void Learn(const DecodeJoin& first, int64_t rows, absl::Duration took, absl::Time ended);
  // They were given up after so long: they take longer.
  void LearnAtLeast(const DecodeJoin& first, int64_t rows, absl::Duration took, absl::Time ended);
  // Estimates the time of so many rows by recent decodings of the same policy and method, for a
  // thread that has nothing else to do. Zero if there were none.
  absl::Duration ExpectedTime(const DecodeJoin& like, int64_t rows) const;
  // When a request of the same policy and method last ended; InfinitePast: none did.
  absl::Time LastTried(const DecodeJoin& like) const;
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
  struct Pace {
    absl::Duration row;
    absl::Time tried;
  };
  using PaceKey = std::pair<const Policy*, DecodeMethod>;

  const Limits limits_;
  std::array<std::deque<WaitingDecode>, kDecodeClasses> queues_;
  std::map<PaceKey, Pace> paces_;
  absl::Duration last_row_time_;
};

// nodes x pictures x trajectories; of a batch their sum.
int64_t DecodeRows(const DecodeJoin& request);
int64_t DecodeRows(const std::vector<WaitingDecode>& batch);

}  // namespace vrp
