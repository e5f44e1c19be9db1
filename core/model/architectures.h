// The registry of network architectures: the one list of those that exist. Each is defined in its
// own folder; its engines are in make_engine.cc. No torch here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/model/policy/architecture.h"

namespace vrp {

// Returns all architectures, the default one first.
std::span<const Architecture* const> Architectures();
const Architecture& DefaultArchitecture();
// Returns the architecture that model cards call `name`, or null.
const Architecture* FindArchitecture(std::string_view name);
// Returns the names for an error: `"a" or "b"`.
std::string ArchitectureNames();

}  // namespace vrp
