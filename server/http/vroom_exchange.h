// Serves VROOM's JSON as vroom-express does.
#pragma once

#include "server/http/http_exchange.h"

namespace vrp {

// Solves the VROOM problem in the body and sends the plan in VROOM's form, with `code` 0. The query
// sets other fields of vrp.v1.SolveRequest, such as "budget=2s". If the daemon has road networks
// and the problem has no matrices, each vehicle's `profile` names its network. Errors are
// {"code": 2, "error": ...} with status 400 for wrong input, and code 1 for others. A body that
// cannot be read gets the error of HttpExchange::ReadBody instead. `solve` is the route of
// vrp.v1.SolverService.Solve.
boost::asio::awaitable<void> ServeVroom(HttpExchange& exchange, const HttpRoute& solve);

}  // namespace vrp
