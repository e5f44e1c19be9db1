// Serves VROOM's JSON as vroom-express does.
#pragma once

#include "server/http/http_exchange.h"

namespace vrp {

// Solves the VROOM problem in the body, or evaluates its steps if `options.c` is true, and sends
// the plan in VROOM's form, with `code` 0. The query sets other fields of vrp.v1.SolveRequest, such
// as "budget=2s", or of vrp.v1.CheckSolutionRequest. If the daemon has road networks and the
// problem has no matrices, each vehicle's `profile` names its network. Errors are
// {"code": 2, "error": ...} with status 400 for wrong input, and code 1 for others. A body that
// cannot be read gets the error of HttpExchange::ReadBody instead. `solve` and `check` are the
// routes of vrp.v1.SolverService.Solve and CheckSolution, which need the same role.
boost::asio::awaitable<void> ServeVroom(HttpExchange& exchange, const HttpRoute& solve,
                                        const HttpRoute& check);

}  // namespace vrp
