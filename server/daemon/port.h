// The port that the daemon serves on: its address, its transport, who may connect.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/server.h"
#include "grpcpp/support/config.h"
#include "server/config/vrpd_options.h"
#include "server/daemon/server_credentials.h"
#include "server/support/acceptor.h"
#include "server/support/drain.h"
#include "server/support/metrics.h"

namespace vrp {

struct Port {
  // Nobody connects any more; calls under way have `drain` to end and are cancelled then. Blocks
  // until none is left, and their clients have had a moment to read the answers. Once, with a
  // server.
  void Close(absl::Duration drain);

  std::shared_ptr<grpc::ServerCredentials> credentials;
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<Acceptor> acceptor;
  std::string address;  // where clients connect: "127.0.0.1:50051", "unix:/path"
  const Metrics* metrics = nullptr;
};

// What a port's requests are told by; both outlive it.
struct PortFigures {
  Metrics& metrics;
  const Drain& drain;  // says of calls that were cut why
};

// Serves `services` and health on options.listen, for whom `protection` lets in, and
// tells figures.metrics of each request and connection.
// kUnavailable: somebody else has the address; kInvalidArgument: it cannot be one.
absl::StatusOr<Port> OpenPort(const VrpdOptions& options,
                              std::span<const std::unique_ptr<grpc::Service>> services,
                              const PortProtection& protection, const PortFigures& figures);

}  // namespace vrp
