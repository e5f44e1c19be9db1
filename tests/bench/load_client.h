// Runs closed-loop clients that share gRPC's threads.
#pragma once

#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "grpcpp/channel.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

struct ClientsLoad {
  double per_second = 0;
  std::vector<double> latencies_ms;  // sorted
  int64_t failed = 0;
};

// Keeps `clients` requests running over `channel` for `duration`, cycling through `requests`.
// Counts only requests that end between the first tenth of `duration` and its end. Uses gRPC's
// callbacks, so no thread waits.
ClientsLoad RunClients(const std::shared_ptr<grpc::Channel>& channel,
                       const std::vector<v1::SolveRequest>& requests, int clients,
                       absl::Duration duration);

// Returns the smallest value of the non-empty `sorted` such that at least `share` of the values do
// not exceed it.
double Percentile(const std::vector<double>& sorted, double share);

}  // namespace vrp
