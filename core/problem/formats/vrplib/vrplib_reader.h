// Reads CVRPLIB and TSPLIB files, with LKH's and PyVRP's sections.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Reads one instance. `name` is the file's name, for errors. Returns kInvalidArgument as
// `name:line: field: got ..., wanted ...`, also for unknown keywords and sections. Errors that
// belong to no line begin with `name: `, such as those for an absent section.
absl::StatusOr<Instance> ParseVrplib(std::string_view text, std::string_view name);

}  // namespace vrp
