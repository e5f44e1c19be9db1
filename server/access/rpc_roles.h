// Finds the roles that calls require.
#pragma once

#include <optional>
#include <string_view>

#include "server/access/role.h"

namespace vrp {

// Returns the role that a call of `method` requires, or nullopt if it requires no token.
//
// `method` is an HTTP/2 path ("/vrp.v1.SolverService/Solve") or an HTTP page ("/metrics"). The
// proto states the role of each RPC of vrp.v1. Unknown methods require the role admin.
std::optional<Role> RequiredRole(std::string_view method);

}  // namespace vrp
