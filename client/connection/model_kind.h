// Asks the daemon for what a model can be used.
#pragma once

#include <string>

#include "client/connection/rpc_client.h"

namespace vrp::client {

// Whether `model` ("models/{name}/versions/{n}") decides what to dispatch and plans no routes.
// False if the daemon does not answer.
bool IsDispatchModel(RpcClient& client, const std::string& model);

// Returns the line that says how to use a trained model.
std::string UseLine(RpcClient& client, const std::string& model);

}  // namespace vrp::client
