// Sends many solve requests and measures latencies and costs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/load/latencies.h"
#include "client/support/interrupt.h"
#include "vrp/v1/solve.pb.h"

namespace vrp::client {

class RpcClient;

// The load to generate.
struct LoadOptions {
  int32_t clients = 1;  // number of threads, each with one request at a time
  // Requests per second of an open loop: a Poisson process that does not wait for responses. A rate
  // of 0 means a closed loop, in which each client sends its next request after the response.
  double rate = 0;
  absl::Duration warm_up;   // requests due in this time are not counted
  absl::Duration duration;  // time after the warm-up
  uint64_t seed = 1;        // seed of the arrival times
};

// The measurements of a run. Nothing that is due during the warm-up is counted.
struct LoadResult {
  absl::Duration elapsed;  // time from the end of the warm-up to the end of the last call
  // Latencies since the requests were due, by the client's clock. In an open loop, a latency
  // includes the wait for a free client (no coordinated omission).
  Latencies response_latencies;
  Latencies refusal_latencies;
  // Latencies of responses minus the daemon's own time, which includes its queue.
  Latencies overhead_latencies;
  std::map<absl::StatusCode, int64_t> refusals;
  double cost = 0;       // sum over the responses
  double gap = 0;        // sum over the responses with a gap
  int64_t with_gap = 0;  // numbers of responses: with a gap, all, feasible
  int64_t responses = 0;
  int64_t feasible = 0;
};

// Sends `requests` in turn, from `options.clients` threads, each call with deadline `timeout`. At
// least one request is required. Blocks until the run ends; an interrupt ends the run early. Counts
// temporary refusals (RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, UNAVAILABLE). Returns any other error.
// Also returns a refusal after the warm-up if there was no response before.
absl::StatusOr<LoadResult> RunLoad(RpcClient& client, const std::vector<v1::SolveRequest>& requests,
                                   const LoadOptions& options, absl::Duration timeout,
                                   const Interrupt& interrupt);

}  // namespace vrp::client
