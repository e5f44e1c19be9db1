// Readers and writers of instance and solution files. Every reader takes text of any content:
// malformed input gives kInvalidArgument with `name:line: what, got, wanted`, never a crash. Where
// the text can be read but what it says is wrong, the error has one line for each wrong field.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance.h"
#include "core/problem/solution.h"

namespace vrp {

enum class InstanceFormat {
  kAuto,     // by content
  kVrplib,   // CVRPLIB, TSPLIB, PyVRP's dialect: EUC_2D, CEIL_2D, EXPLICIT
  kSolomon,  // Solomon, Homberger
  kJson,     // ours: one object; a line of a .jsonl file
};

// `name` (a file's name) stands in errors, and is the instance's name where the text has none.
absl::StatusOr<Instance> ParseInstance(std::string_view text, std::string_view name,
                                       InstanceFormat format = InstanceFormat::kAuto);
absl::StatusOr<Instance> ParseVrplib(std::string_view text, std::string_view name);
absl::StatusOr<Instance> ParseSolomon(std::string_view text, std::string_view name);
absl::StatusOr<Instance> ParseJson(std::string_view text, std::string_view name);

// Our JSON: one object. Per-node arrays list the depots first. Any key that is not named here is
// refused. Required: kind, coords or distance_matrix; but for a TSP: demands, capacity or vehicles.
// - name: a string; absent: the file's name.
// - kind: "tsp", "cvrp", "vrptw".
// - metric: how coordinates become distances: "exact" (the default), "cvrplib", "ceil", "dimacs",
//   "scaled1000".
// - num_depots: an integer, 1 by default.
// - ids: unique strings; "0", "1", ... by default.
// - coords: [[x, y], ...].
// - distance_matrix, duration_matrix: N rows of N numbers >= 0, which may be asymmetric.
// - speed: distance units a time unit, 1 by default; for durations without a duration_matrix.
// - demands: numbers >= 0, 0 at depots.
// - backhauls: numbers >= 0, picked up after all deliveries of the route.
// - time_windows: [[open, close], ...], close null: no end. For a vrptw, and only there.
// - horizon: a number: the depots' windows close then at the latest.
// - service: one number for all customers, or an array with one for each node (0 at depots).
// - capacity: a number > 0: as many such vehicles as needed; or in its place
// - vehicles: [{id, count, depot, capacity, max_duration, max_distance, open_end}, ...], each key
//   optional: count 0 (the default) is as many as needed, depot is a depot's number (0), no
//   capacity, max_duration or max_distance means no limit; open_end true: vehicles do not return.
// - ref_cost: a number, the best known cost.
// - ref_routes, ref_by: of the public random sets; checked for their form, not kept.

// One line, no line break; ParseJson reads it back to an equal instance.
std::string WriteJson(const Instance& instance);

struct SolutionFile {
  Plan plan = {};
  std::optional<Cost> cost = {};
};
// CVRPLIB's `.sol`: `Route #1: 5 3 7`, `Cost 375` (or `Cost: 375`). Numbers are node indices
// (depots first, from 0: with one depot, customer k of the file is k; a number that is no customer
// is left to the checker); the k-th route belongs to the k-th vehicle where vehicles differ.
absl::StatusOr<SolutionFile> ParseSolution(std::string_view text, std::string_view name,
                                           const Instance& instance);
std::string WriteSolution(const Instance& instance, const Plan& plan);

}  // namespace vrp
