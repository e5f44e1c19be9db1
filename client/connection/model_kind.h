// Asks the daemon for what a model can be used.
#pragma once

#include <string>

#include "client/connection/rpc_client.h"

namespace vrp::client {

// Returns Model.architecture of `model` ("models/{name}/versions/{n}"): "dispatch" and "habits"
// plan no routes. Returns an empty text if the daemon does not answer.
std::string ArchitectureOf(RpcClient& client, const std::string& model);

// Returns the line that says how to use a trained model.
std::string UseLine(RpcClient& client, const std::string& model);

}  // namespace vrp::client
