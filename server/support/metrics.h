// Counts and times the events behind /metrics (Prometheus) and GetServerStats.
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
#include "server/support/metric_family.h"
#include "server/support/metric_group.h"

namespace vrp {

// Names of the metric families; comments list the labels.
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

// The outcome of a request.
struct RequestOutcome {
  std::string_view code;    // for example "OK" or "RESOURCE_EXHAUSTED"
  std::string_view reason;  // for example "ok" or "queue_full"; from a small set, since each is a
                            // time series
  absl::Duration duration;
};

// The metrics of the daemon. Thread-safe. An update takes less than a microsecond: fast enough once
// per request, too slow for the inner loops of a search.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // The metrics of one RPC.
  class Rpc {
   public:
    void RecordStart();
    void RecordEnd(const RequestOutcome& outcome);

   private:
    friend class Metrics;
    Rpc(Metrics& metrics, std::string name);

    Metrics& metrics_;
    const std::string name_;
    Counter& succeeded_;
    Gauge& in_flight_;
    Histogram& duration_;
  };
  // Returns the metrics of the RPC `name` ("vrp.v1.SolverService/Solve"), valid as long as *this.
  Rpc& ForRpc(std::string_view name);
  // Returns the number of requests of all RPCs that have begun and have no status yet.
  int64_t in_flight() const { return in_flight_; }
  // Returns the number of requests of all RPCs that have begun since the start.
  int64_t begun() const { return begun_; }

  // Returns a function that records how long a task of the pool or network `queue` waited for its
  // start. Valid as long as *this.
  std::function<void(absl::Duration)> QueueWaitObserver(std::string_view queue);
  // Records the duration of an answer without its wait. `strategy` is the one that gave the answer.
  void RecordSolve(std::string_view strategy, absl::Duration duration);
  // Records a batch of requests that a network decoded, without their wait.
  void RecordBatch(size_t requests, absl::Duration duration);
  // Counts a call refused because of its token, which no other metric counts. `reason` is from a
  // small set.
  void CountRefusedCall(std::string_view code, std::string_view reason);
  // Counts an accepted gRPC connection, or the end of one.
  void CountOpened();
  void CountClosed();
  // Counts a connection, of gRPC or HTTP, refused because too many were open.
  void CountRefusedConnection();
  // Counts a phase that the watchdog found overdue.
  void CountOverdue(std::string_view phase);

  std::vector<MetricFamily> Collect() const;

 private:
  struct Families;

  const std::unique_ptr<Families> families_;
  std::atomic<int64_t> in_flight_ = 0;
  std::atomic<int64_t> begun_ = 0;
  absl::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Rpc>, std::less<>> rpcs_ ABSL_GUARDED_BY(mutex_);
  // Duration histograms by strategy.
  std::map<std::string, Histogram*, std::less<>> solves_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
