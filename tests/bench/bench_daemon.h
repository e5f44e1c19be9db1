// Runs a daemon in this process with the shipped models, and builds requests for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/problem/instance/instance.h"
#include "core/train/run/trainer.h"
#include "grpcpp/channel.h"
#include "server/daemon/daemon.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// A daemon on free loopback ports for gRPC and HTTP, with a temporary folder. Errors end the
// process.
class BenchDaemon {
 public:
  explicit BenchDaemon(int threads);
  ~BenchDaemon();
  BenchDaemon(const BenchDaemon&) = delete;
  BenchDaemon& operator=(const BenchDaemon&) = delete;

  // Opens a separate connection and returns its channel.
  std::shared_ptr<grpc::Channel> Connect() const;
  // Returns the address of JSON over HTTP, for example "127.0.0.1:8080".
  std::string http_address() const;

 private:
  const std::string folder_;
  const SystemClock clock_;
  const std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<Daemon> daemon_;
};

// Returns the message that a client would send for `instance`, a CVRP of Kool's distribution with
// one depot and one vehicle type.
v1::Instance MessageOf(const Instance& instance);
std::vector<v1::SolveRequest> GreedyRequests(const std::vector<Instance>& instances,
                                             const std::string& model);
std::vector<v1::SolveRequest> SearchRequests(const std::vector<Instance>& instances,
                                             absl::Duration budget);

}  // namespace vrp
