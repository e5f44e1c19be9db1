// Runs vrpctl as a function, for main and tests.
#pragma once

#include <string>
#include <vector>

#include "client/support/environment.h"

namespace vrp::client {

// Runs vrpctl with `arguments`, without the program's name, and returns the exit code
// (exit_codes.h). Reads VRP_REMOTE, VRP_TOKEN and other variables (connection.h).
int RunVrpctl(const std::vector<std::string>& arguments, Environment& environment);

}  // namespace vrp::client
