// What the daemon counts and times: the home of the figures that Prometheus and GetServerStats
// show. No prometheus-cpp header is needed to use it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace prometheus {
struct MetricFamily;
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace vrp {

// The families' names and labels, for those who show them.
inline constexpr char kRequestsFamily[] = "vrp_requests_total";      // rpc, code, reason
inline constexpr char kInFlightFamily[] = "vrp_requests_in_flight";  // rpc
inline constexpr char kRequestDurationFamily[] = "vrp_request_duration_seconds";  // rpc
inline constexpr char kQueueWaitFamily[] = "vrp_queue_wait_seconds";              // queue
inline constexpr char kSolveDurationFamily[] = "vrp_solve_duration_seconds";      // strategy
inline constexpr char kBatchSizeFamily[] = "vrp_network_batch_requests";
inline constexpr char kBatchDurationFamily[] = "vrp_network_batch_duration_seconds";
inline constexpr char kRefusedCallersFamily[] = "vrp_refused_callers_total";  // code, reason
inline constexpr char kConnectionsFamily[] = "vrp_connections";
inline constexpr char kRefusedConnectionsFamily[] = "vrp_refused_connections_total";
inline constexpr char kOverdueFamily[] = "vrp_overdue_phases_total";  // phase

// How a request ended.
struct RequestOutcome {
  std::string_view code;    // "OK", "RESOURCE_EXHAUSTED"
  std::string_view reason;  // "ok", "queue_full": one of few, as each is a time series
  absl::Duration duration;
};

// Thread-safe. What is called once a request costs less than a microsecond; nothing of it belongs
// into the loops of a search.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Of the requests of one RPC.
  class Rpc {
   public:
    void Began();
    void Ended(const RequestOutcome& outcome);

   private:
    friend class Metrics;
    Rpc(Metrics& metrics, std::string name);

    Metrics& metrics_;
    const std::string name_;
    prometheus::Counter& succeeded_;
    prometheus::Gauge& in_flight_;
    prometheus::Histogram& duration_;
  };
  // `name` as "vrp.v1.SolverService/Solve". Lives as long as the metrics.
  Rpc& OfRpc(std::string_view name);
  // Requests of all RPCs that have begun and have no status yet.
  int64_t in_flight() const { return in_flight_; }

  // To be told, when a task of the pool `queue` begins, how long it waited. Lives as long.
  std::function<void(absl::Duration)> WaitOf(std::string_view queue);
  // Without the time in the queue. `strategy`: what gave the answer.
  void Solved(std::string_view strategy, absl::Duration duration);
  // A batch of requests that a network decoded, without the time in its queue.
  void Decoded(size_t requests, absl::Duration duration);
  // A call that had no right to be heard; it is in no other figure. `reason`: one of few.
  void RefusedCaller(std::string_view code, std::string_view reason);
  // Of those that the port has let in; and one that it has not, as there were too many.
  void ConnectionBegan();
  void ConnectionEnded();
  void RefusedConnection();
  // The watchdog found a phase that takes far too long.
  void FoundOverdue(std::string_view phase);

  std::vector<prometheus::MetricFamily> Collect() const;

 private:
  struct Families;

  const std::unique_ptr<Families> families_;
  std::atomic<int64_t> in_flight_ = 0;
  absl::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Rpc>, std::less<>> rpcs_ ABSL_GUARDED_BY(mutex_);
  // By strategy.
  std::map<std::string, prometheus::Histogram*, std::less<>> solves_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
