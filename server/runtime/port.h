// The port that the daemon serves on: its address, its transport, who may connect.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/server.h"
#include "grpcpp/support/config.h"
#include "server/config/vrpd_options.h"
#include "server/runtime/server_credentials.h"
#include "server/telemetry/metrics.h"

namespace vrp {

struct Port {
  std::shared_ptr<grpc::ServerCredentials> credentials;
  std::unique_ptr<grpc::Server> server;
  std::string address;  // where clients connect: "127.0.0.1:50051", "unix:/path"
};

// Serves `services`, health and reflection on options.listen, for whom `protection` lets in, and
// tells `metrics`, which outlives the server, of each request.
// kUnavailable: somebody else has the address; kInvalidArgument: it cannot be one.
absl::StatusOr<Port> OpenPort(const VrpdOptions& options,
                              std::span<const std::unique_ptr<grpc::Service>> services,
                              const PortProtection& protection, Metrics& metrics);

}  // namespace vrp
