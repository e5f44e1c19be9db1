// The registry of all network architectures. Each architecture is defined in its own folder;
// make_engine.cc makes its engines. Needs no torch.
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
// Returns the names of all architectures for an error: `"a" or "b"`.
std::string ArchitectureNames();

}  // namespace vrp
