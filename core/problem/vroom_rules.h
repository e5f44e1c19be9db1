// The rules of VROOM's input, whose errors name the fields of its file.
#pragma once

#include <string>
#include <vector>

#include "core/problem/vroom_input.h"

namespace vrp {

// `jobs[3].service: got -1, wanted at least 0`, for each value out of range (for 1,000 at most).
// An instance made of input without any breaks no rule of values.
std::vector<std::string> VroomErrors(const VroomInput& input);

}  // namespace vrp
