// Many requests at once, and how the daemon takes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/connection/rpc_client.h"
#include "client/load/latencies.h"
#include "client/support/interrupt.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

struct LoadOptions {
  int32_t clients = 1;  // threads, each with one request at a time
  // 0: closed loop, each client asks again as soon as it is answered. Else open: so many requests
  // a second fall due at random moments (a Poisson process), however slowly they are answered.
  double rate = 0;
  absl::Duration warm_up;   // requests that fall due in it are not counted
  absl::Duration duration;  // after it
  uint64_t seed = 1;        // of the moments
};

struct LoadResult {
  absl::Duration elapsed;  // from the end of the warm-up to the last answer
  // From the moment at which a request was due, by the client's clock: what waits because all
  // clients are busy counts too (no coordinated omission).
  Latencies answered;
  Latencies refused;
  // Of those answered: the latency less the daemon's own time, its queue included.
  Latencies outside;
  std::map<absl::StatusCode, int64_t> refusals;
  double cost = 0;  // sums over the answers
  double gap = 0;
  int64_t with_gap = 0;
  int64_t answers = 0;
  int64_t feasible = 0;
};

// Sends `requests` in turns, from `options.clients` threads. What the daemon refuses for the moment
// (RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, UNAVAILABLE under load) is counted; any other error, or
// one after the warm-up where nothing was answered yet, ends the run. `timeout` is each call's.
absl::StatusOr<LoadResult> RunLoad(RpcClient& client, const std::vector<v1::SolveRequest>& requests,
                                   const LoadOptions& options, absl::Duration timeout,
                                   const Interrupt& interrupt);

}  // namespace vrp::client
