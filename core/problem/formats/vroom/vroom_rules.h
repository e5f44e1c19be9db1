// Checks the values of VROOM's input.
#pragma once

#include <string>
#include <vector>

#include "core/problem/formats/vroom/vroom_input.h"

namespace vrp {

// Returns an error such as `jobs[3].service: got -1, wanted at least 0` for each value that is out
// of range, at most 1,000. If there is none, the values of the instance made from `input` are
// valid.
std::vector<std::string> VroomErrors(const VroomInput& input);

}  // namespace vrp
