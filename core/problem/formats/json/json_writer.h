// Writes our JSON.
#pragma once

#include <string>

#include "core/problem/instance/instance.h"

namespace vrp {

// Returns one object on a single line. InstanceFromJson reads it back to an equal instance, except
// that an empty name becomes the file's.
std::string WriteJson(const Instance& instance);

}  // namespace vrp
