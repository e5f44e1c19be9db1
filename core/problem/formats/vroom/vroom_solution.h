// Writes solutions as VROOM's output: docs/API.md (v1.15) of github.com/VROOM-Project/vroom.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/formats/vroom/vroom_plan.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// Returns kUnimplemented if vehicles may reload, which VROOM's output cannot express.
absl::Status CheckVroomSolution(const Instance& instance);

// Returns the output as JSON text. Rounds times, distances, amounts and costs to whole numbers.
// Their units are those of the VROOM file, or of an instance that was not read from such a file.
// Unassigned tasks may have a `reason` in addition to VROOM's keys. The instance must pass
// CheckVroomSolution.
std::string WriteVroomSolution(const Instance& instance, const Solution& solution,
                               const VroomNames& names);
// Returns VROOM's output of its plan mode, with the violations of each step.
std::string WriteVroomPlan(const Instance& instance, const VroomPlan& plan,
                           const VroomNames& names);

}  // namespace vrp
