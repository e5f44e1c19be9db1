// Reads and writes solutions of any format.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/text/solution_file.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/formats/vroom/vroom_plan.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// The format of a solution.
enum class SolutionFormat {
  kAuto,     // for reading: kJson if the text begins with `{`, otherwise kVrplib
  kVrplib,   // CVRPLIB's .sol
  kJson,     // vrpctl's output: the vehicle and the stop ids of each route; read only
  kVroom,    // VROOM's output
  kGeoJson,  // RFC 7946, for instances in longitude and latitude; written only
};

// Reads a plan. `names` are the instance's. Returns kInvalidArgument for malformed text and unknown
// names: `name: routes[0].stops[2].id: got "x", wanted the id of a customer, or of a depot for a
// reload`. Accepts numbers in a .sol that belong to no customer; the checker reports these.
absl::StatusOr<SolutionFile> ReadSolution(std::string_view text, std::string_view name,
                                          SolutionFormat format, const VroomNames& names,
                                          const Instance& instance);

// Returns kUnimplemented with the first field that the format cannot express, as
// `vehicles[0].max_reloads: ...`. Returns kInvalidArgument, without a field, for kJson and kAuto.
absl::Status CheckWritable(SolutionFormat format, const Instance& instance);

// Writes a solution of `instance`, which must pass CheckWritable. `streets` are those of
// WriteGeoJson. `plan` is null unless `solution` is its solution; kVroom then has its violations.
std::string WriteSolution(SolutionFormat format, const Instance& instance, const Solution& solution,
                          const VroomNames& names,
                          std::span<const std::vector<Position>> streets = {},
                          const VroomPlan* plan = nullptr);

}  // namespace vrp
