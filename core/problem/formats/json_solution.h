// Reads plans from JSON: the output of vrpctl and VROOM.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/text/solution_file.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Reads either form. Returns kInvalidArgument as
// `name: routes[0].stops[2].id: got "x", wanted the id of a customer, or of a depot for a
// reload`.
absl::StatusOr<SolutionFile> ParseJsonSolution(std::string_view text, std::string_view name,
                                               const VroomNames& names, const Instance& instance);

}  // namespace vrp
