// Reads and writes CVRPLIB's `.sol` files, and reads TSPLIB's tours.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/text/solution_file.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Reads lines `Route #1: 5 3 7` and `Cost 375` (or `Cost: 375`), or TSPLIB's TOUR_SECTION. Numbers
// in routes are node indices, depots first. Those in TOUR_SECTION are node numbers from 1. Accepts
// numbers in routes that belong to no customer; the checker reports these. The k-th route belongs
// to the k-th vehicle, unless it states its type: `Route #3 (type 1): 5`. Returns kInvalidArgument
// as `name:line: got ..., wanted ...`.
absl::StatusOr<SolutionFile> ParseVrplibSolution(std::string_view text, std::string_view name,
                                                 const Instance& instance);

// Returns the text of a `.sol` file with the plan's cost. Its routes are in the order of their
// vehicle types, and unused vehicles may have empty routes.
std::string WriteVrplibSolution(const Instance& instance, const Plan& plan);

}  // namespace vrp
