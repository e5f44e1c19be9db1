// vrpctl as a function: what main calls, and the tests.
#pragma once

#include <string>
#include <vector>

#include "client/support/environment.h"

namespace vrp::client {

// `arguments` are without the program's name. Gives the exit code (exit_codes.h). Reads VRP_REMOTE,
// VRP_TOKEN and the like (connection.h).
int RunVrpctl(const std::vector<std::string>& arguments, Environment& environment);

}  // namespace vrp::client
