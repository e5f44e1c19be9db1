// Which role each RPC needs: the only table.
#pragma once

#include <optional>
#include <string_view>

#include "server/access/role.h"

namespace vrp {

// `method` as HTTP/2 names it: "/vrp.v1.SolverService/Solve". nullopt: none is needed, as for
// health, which probes ask that hold no token. An RPC that is not in the table is an admin's. The
// pages of HTTP are in it too: "/metrics".
std::optional<Role> RoleNeeded(std::string_view method);

// Whether the table has it.
bool HasRoleEntry(std::string_view method);

}  // namespace vrp
