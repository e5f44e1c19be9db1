// Checks the values of VROOM's input.
#pragma once

#include <string>
#include <vector>

#include "core/problem/formats/vroom/vroom_input.h"

namespace vrp {

// Returns an error such as `jobs[3].service: got -1, wanted at least 0` for each value out of
// range, at most 1,000. Without errors, the instance made from `input` has valid values.
std::vector<std::string> VroomErrors(const VroomInput& input);

}  // namespace vrp
