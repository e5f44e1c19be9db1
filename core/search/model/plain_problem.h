// The name that plain problems had.
#pragma once

#include "core/search/model/problem.h"

namespace vrp {

using PlainProblem = Problem;

}  // namespace vrp
