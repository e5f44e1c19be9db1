// Scalars of a checkpoint that may be unknown.
#pragma once

#include <map>
#include <string>

namespace vrp {

// Stores `value` under `name`, with a flag whether it is finite: a checkpoint holds finite numbers
// only.
void PutFinite(std::map<std::string, double>& scalars, const std::string& name, double value);

// Returns the value that PutFinite stored; NaN if it was not finite or is missing.
double TakeFinite(const std::map<std::string, double>& scalars, const std::string& name);

}  // namespace vrp
