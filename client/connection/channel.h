// A connection of gRPC's, and what its calls ended with; for rpc_client.cc.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "absl/status/status.h"
#include "client/connection/connection.h"

namespace vrp::client {

// Connects at the first call.
std::shared_ptr<grpc::Channel> MakeChannel(const Connection& connection);

// The status of a call that has ended, with its google.rpc details and the daemon's name for the
// request as payloads.
absl::Status FromGrpc(const grpc::Status& status, const grpc::ClientContext& context);

}  // namespace vrp::client
