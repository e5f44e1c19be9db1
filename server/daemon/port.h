// Opens the port of the daemon: address, transport, credentials.
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
  // Stops accepting connections, gives calls in flight `drain` to finish, and then cancels them.
  // Blocks until no call is left. If a call was in flight, also gives clients a moment to read the
  // answers. Must be called once.
  void Close(absl::Duration drain);

  std::shared_ptr<grpc::ServerCredentials> credentials;
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<Acceptor> acceptor;
  std::string address;  // address for clients, such as "127.0.0.1:50051" or "unix:/path"
  const Metrics* metrics = nullptr;
};

// Observers of a port. Both must outlive the port.
struct PortObservers {
  Metrics& metrics;    // records each request and connection
  const Drain& drain;  // explains cancelled calls
};

// Serves `services` and health checks on options.listen with the given protection. Returns
// kInvalidArgument for a malformed address, and kUnavailable if it cannot be bound. Returns
// kInternal if gRPC fails, and the errors of ListenOnUnixSocket and Acceptor::Create.
absl::StatusOr<Port> OpenPort(const VrpdOptions& options,
                              std::span<const std::unique_ptr<grpc::Service>> services,
                              const PortProtection& protection, const PortObservers& observers);

}  // namespace vrp
