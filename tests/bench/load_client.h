// Clients that ask again as soon as they are answered, without a thread each.
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

// `clients` requests under way over `channel` for `duration`, in turns of `requests`; those that
// begin in its first tenth are not counted. By gRPC's callbacks: no thread waits.
ClientsLoad RunClients(const std::shared_ptr<grpc::Channel>& channel,
                       const std::vector<v1::SolveRequest>& requests, int clients,
                       absl::Duration duration);

// The least that at least this share of `sorted` does not exceed; not empty.
double Percentile(const std::vector<double>& sorted, double share);

}  // namespace vrp
