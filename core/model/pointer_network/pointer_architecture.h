// The pointer network's entry in the registry (core/model/architectures.h).
#pragma once

#include "core/model/policy/architecture.h"

namespace vrp {

const Architecture& PointerArchitecture();

}  // namespace vrp
