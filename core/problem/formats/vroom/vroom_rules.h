// Checks the values of VROOM's input.
#pragma once

#include <string>
#include <vector>

#include "core/problem/formats/vroom/vroom_input.h"

namespace vrp {

// Returns an error such as `jobs[3].service: got -1, wanted at least 0` for each value that is out
// of range, 1,000 at most. If there is none, the instance made of `input` obeys Instance's rules of
// values.
std::vector<std::string> VroomErrors(const VroomInput& input);

}  // namespace vrp
