// The stream of instances to one daemon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "client/batch/batch_state.h"
#include "client/connection/rpc_client.h"
#include "client/support/interrupt.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// The arguments of a link besides its daemon.
struct LinkContext {
  const v1::SolveRequest& request;  // without an instance
  BatchState& state;
  const Interrupt& interrupt;
  int64_t in_flight = 0;  // 0: twice the daemon's threads
  // Gets a line for the user when a daemon is lost and found again. Called from any thread.
  std::function<void(const std::string&)> notice;
};

// Sends instances to daemon number `number` by SolverService.BatchSolve, and its answers to the
// state, until the run ends. Opens the stream again after a loss. Ends the run if the daemon
// refuses all instances, as without a token or with an unknown model, and if no daemon answers for
// long. Blocks; `client` may be cancelled from another thread after the end of the run.
void RunDaemonLink(RpcClient& client, size_t number, const LinkContext& context);

}  // namespace vrp::client
