#include "client/load/load_run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/connection/rpc_client.h"
#include "client/support/steady_now.h"
#include "client/support/text.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client {
namespace {

// Whether the daemon may accept the same request later.
bool IsTemporary(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsUnavailable(status);
}

// The due times of requests. Thread-safe.
class Schedule {
 public:
  Schedule(const LoadOptions& options, absl::Time start)
      : rate_(options.rate),
        end_(start + options.warm_up + options.duration),
        random_(options.seed),
        next_(start) {}

  struct Slot {
    absl::Time due;
    size_t number;
  };
  // Returns the next request's slot; nullopt at the end of the run.
  std::optional<Slot> Next() {
    absl::MutexLock lock(&mutex_);
    absl::Time due = SteadyNow();
    if (rate_ > 0) {
      next_ += absl::Seconds(std::exponential_distribution<>(rate_)(random_));
      due = next_;
    }
    if (stopped_ || due >= end_) return std::nullopt;
    return Slot{due, number_++};
  }
  void Stop() {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }

 private:
  const double rate_;
  const absl::Time end_;
  absl::Mutex mutex_;
  std::mt19937_64 random_ ABSL_GUARDED_BY(mutex_);
  absl::Time next_ ABSL_GUARDED_BY(mutex_);
  size_t number_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

// The results of the requests so far. Thread-safe.
class LoadTally {
 public:
  explicit LoadTally(absl::Time counted_from) : counted_from_(counted_from) {}

  void AddResponse(absl::Time due, const v1::SolveResponse& response) {
    const absl::Duration latency = SteadyNow() - due;
    absl::MutexLock lock(&mutex_);
    any_response_ = true;
    if (due < counted_from_) return;
    result_.response_latencies.Add(latency);
    result_.overhead_latencies.Add(latency - ToDuration(response.times().total()));
    ++result_.responses;
    result_.cost += response.solution().cost();
    result_.feasible += response.feasible() ? 1 : 0;
    if (!response.has_gap()) return;
    ++result_.with_gap;
    result_.gap += response.gap();
  }

  // Counts a temporary refusal of a request that was due after the warm-up. Returns false if the
  // error ends the run.
  bool AddFailure(absl::Time due, const absl::Status& status) {
    const absl::Duration latency = SteadyNow() - due;
    absl::MutexLock lock(&mutex_);
    // The first requests may time out while the daemon loads their model.
    const bool warms_up = due < counted_from_;
    if (!IsTemporary(status) || (!any_response_ && !warms_up)) {
      if (error_.ok()) error_ = status;
      return false;
    }
    if (warms_up) return true;
    result_.refusal_latencies.Add(latency);
    ++result_.refusals[status.code()];
    return true;
  }

  absl::StatusOr<LoadResult> Result() {
    absl::MutexLock lock(&mutex_);
    if (!error_.ok()) return error_;
    result_.elapsed = SteadyNow() - counted_from_;
    return std::move(result_);
  }

 private:
  const absl::Time counted_from_;
  absl::Mutex mutex_;
  LoadResult result_ ABSL_GUARDED_BY(mutex_);
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  bool any_response_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

absl::StatusOr<LoadResult> RunLoad(RpcClient& client, const std::vector<v1::SolveRequest>& requests,
                                   const LoadOptions& options, absl::Duration timeout,
                                   const Interrupt& interrupt) {
  const absl::Time start = SteadyNow();
  Schedule schedule(options, start);
  LoadTally tally(start + options.warm_up);
  const auto work = [&] {
    while (const std::optional<Schedule::Slot> slot = schedule.Next()) {
      if (interrupt.WaitFor(std::max(slot->due - SteadyNow(), absl::ZeroDuration()))) return;
      const absl::StatusOr<v1::SolveResponse> response = client.Call(
          &v1::SolverService::Stub::Solve, requests[slot->number % requests.size()], timeout);
      if (response.ok()) {
        tally.AddResponse(slot->due, *response);
      } else if (!tally.AddFailure(slot->due, response.status())) {
        schedule.Stop();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int32_t i = 0; i < options.clients; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return tally.Result();
}

}  // namespace vrp::client
