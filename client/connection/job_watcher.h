// Watches a job to its end, across broken connections and daemon restarts.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/support/interrupt.h"
#include "vrp/v1/simulation_service.pb.h"
#include "vrp/v1/solve_job.pb.h"
#include "vrp/v1/sweep_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

class RpcClient;

// A receiver of a job's events (v1::WatchTrainingJobResponse, v1::WatchSolveJobResponse,
// v1::WatchSimulationResponse, v1::WatchSweepResponse). The watching thread makes all calls.
template <typename Event>
class JobEventSink {
 public:
  virtual ~JobEventSink() = default;
  // Receives each event once, in order, without gaps and without heartbeats. A CompactedEvent
  // replaces a range of events.
  virtual void OnEvent(const Event& event) = 0;
  virtual void OnHeartbeat(const Event&) {}
  // Reports the start of reconnection attempts. The attempts last until OnReconnected or OnEnd.
  virtual void OnConnectionLost(const absl::Status& status) = 0;
  virtual void OnReconnected() = 0;
  // Ends the output, for example the line of a progress bar. This is the last call.
  virtual void OnEnd() = 0;
};
using EventSink = JobEventSink<v1::WatchTrainingJobResponse>;
using SolveEventSink = JobEventSink<v1::WatchSolveJobResponse>;
using SimulationEventSink = JobEventSink<v1::WatchSimulationResponse>;
using SweepEventSink = JobEventSink<v1::WatchSweepResponse>;

// The job to watch and the limits of reconnection.
struct WatchOptions {
  std::string name;  // `trainingJobs/{id}`, `solveJobs/{id}`, `simulations/{id}` or `sweeps/{id}`
  int64_t from_sequence = 1;
  // Whether the daemon has answered before. If so, the watcher waits for an unreachable daemon from
  // the start.
  bool was_reachable = false;
  absl::Duration initial_backoff = absl::Milliseconds(250);
  absl::Duration max_backoff = absl::Seconds(5);
  // Time without contact after which WatchJob returns kUnavailable.
  absl::Duration give_up_after = absl::Minutes(10);
};

// The end of a watched job.
struct WatchOutcome {
  v1::JobState state = v1::JOB_STATE_UNSPECIFIED;  // SUCCEEDED, FAILED or CANCELLED
  std::string error;                               // set with FAILED
};

// Blocks until the job has ended. Returns kCancelled after an interrupt and kDataLoss if events
// stay missing. Returns kUnavailable if the first connection fails (see `was_reachable`), or after
// `give_up_after` without contact. Otherwise returns the daemon's error.
template <typename Event>
absl::StatusOr<WatchOutcome> WatchJob(RpcClient& client, const Interrupt& interrupt,
                                      const WatchOptions& options, JobEventSink<Event>& sink);

// Whether a job in this state has ended.
bool IsFinal(v1::JobState state);

}  // namespace vrp::client
