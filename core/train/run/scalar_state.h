// Scalars of a checkpoint that may be unknown.
#pragma once

#include <map>
#include <string>

namespace vrp {

// Stores `value` under `name`, and whether it is finite, because a checkpoint holds only finite
// numbers.
void PutFinite(std::map<std::string, double>& scalars, const std::string& name, double value);

// Returns the value that PutFinite stored, or NaN if it was not finite or is missing.
double GetFinite(const std::map<std::string, double>& scalars, const std::string& name);

}  // namespace vrp
