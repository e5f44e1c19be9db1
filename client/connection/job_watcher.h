// Follows a job, training or solving, to its end, across broken connections and restarts of the
// daemon.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/connection/rpc_client.h"
#include "client/support/interrupt.h"
#include "vrp/v1/solve_job.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// What is done with a job's events (v1::WatchTrainingJobResponse, v1::WatchSolveJobResponse). All
// calls come from the thread that watches.
template <typename Event>
class JobEventSink {
 public:
  virtual ~JobEventSink() = default;
  // Each event once, in order, without gaps (a CompactedEvent stands for a range); never a
  // heartbeat.
  virtual void OnEvent(const Event& event) = 0;
  virtual void OnHeartbeat(const Event&) {}
  // Attempts to come back follow, until OnReconnected or OnEnd.
  virtual void OnConnectionLost(const absl::Status& status) = 0;
  virtual void OnReconnected() = 0;
  // Nothing follows: a terminal is put back in order.
  virtual void OnEnd() = 0;
};
using EventSink = JobEventSink<v1::WatchTrainingJobResponse>;
using SolveEventSink = JobEventSink<v1::WatchSolveJobResponse>;

struct WatchOptions {
  std::string name;  // `trainingJobs/{id}`, `solveJobs/{id}`
  int64_t from_sequence = 1;
  // The daemon has answered before: being unreachable at first is then a reason to wait, not to
  // give up.
  bool was_reachable = false;
  absl::Duration first_backoff = absl::Milliseconds(250);
  absl::Duration longest_backoff = absl::Seconds(5);
  // Without contact for so long, kUnavailable is given back.
  absl::Duration give_up_after = absl::Minutes(10);
};

struct WatchOutcome {
  v1::JobState state = v1::JOB_STATE_UNSPECIFIED;  // SUCCEEDED, FAILED or CANCELLED
  std::string error;                               // with FAILED
};

// Blocks until the job has ended. kCancelled after an interrupt; otherwise the daemon's error.
template <typename Event>
absl::StatusOr<WatchOutcome> WatchJob(RpcClient& client, const Interrupt& interrupt,
                                      const WatchOptions& options, JobEventSink<Event>& sink);

bool IsFinal(v1::JobState state);

}  // namespace vrp::client
