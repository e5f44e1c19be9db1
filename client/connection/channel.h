// Creates gRPC channels and converts call statuses, for rpc_client.cc.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "absl/status/status.h"
#include "client/connection/connection.h"

namespace vrp::client {

// Returns a channel that connects at the first call.
std::shared_ptr<grpc::Channel> MakeChannel(const Connection& connection);

// Converts the status of an ended call. Adds its google.rpc details and the request id as payloads.
absl::Status FromGrpc(const grpc::Status& status, const grpc::ClientContext& context);

}  // namespace vrp::client
