// Reads our JSON.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Our JSON: one object. Per-node arrays list the depots first. Any key that is not named here is
// refused. Required: kind, coords or distance_matrix; but for a TSP: demands, capacity or vehicles.
// - name: a string; absent: the file's name.
// - kind: "tsp", "cvrp", "vrptw".
// - metric: how coordinates become distances: "exact" (the default), "cvrplib", "ceil", "dimacs",
//   "scaled1000".
// - objective: "distance", "vehicles_then_distance", "duration", "cost"; absent: "cost" where a
//   vehicle states one, else "distance".
// - num_depots: an integer, 1 by default.
// - ids: unique strings; "0", "1", ... by default.
// - coords: [[x, y], ...].
// - coordinates: "planar" (the default), or "lon_lat": [longitude, latitude], distances in metres.
// - distance_matrix, duration_matrix: N rows of N numbers >= 0; or `matrices`: see matrices.h.
// - matrix_rows: integers, the row and column of each node in all matrices, which then have as many
//   rows as there are places; by default node i has row i.
// - speed: distance units a time unit, 1 by default; for durations without a duration_matrix.
// - demands: numbers >= 0, 0 at depots; of several load dimensions: rows of numbers.
// - backhauls: as demands, picked up after all deliveries of the route.
// - pickups: as demands, picked up in any order.
// - time_windows: [[open, close], ...], close null: no end. For a vrptw, and only there. With a
//   third number, lateness costs that much a time unit. A customer's entry may be an array of
//   several windows, the last of which may be soft.
// - horizon: a number: the depots' windows close then at the latest.
// - service, setup, release: one number for all customers, or an array with one for each node (0 at
//   depots): time at each customer; more where the vehicle comes from elsewhere; when the goods are
//   ready at the depot.
// - required_skills: [["crane"], [], ...] that the vehicle must have; empty at depots.
// - prizes: numbers, null (also at depots) for customers that must be served.
// - priorities: integers from 0 to 100, for who is served when not all can be.
// - shipments: [{id, pickup, delivery, amount}, ...]: node numbers, and a number or an array of one
//   for each load dimension; a vehicle brings it from the one customer to the other.
// - alternative_groups: [[node, ...], ...], of each of which one is served.
// - capacity: a number >= 0: as many such vehicles as needed; or in its place
// - vehicles: [{id, count, depot, end_depot, capacity, max_duration, max_distance, max_stops,
//   max_reloads, open_end, shift, skills, breaks, fixed_cost, cost_per_distance, cost_per_time,
//   max_overtime, overtime_cost, distance_matrix, duration_matrix}, ...], each key optional: count
//   0 (the default) is as many as needed, depot is a depot's number (0), end_depot another one; of
//   several load dimensions capacity is an array (null: no limit); no capacity, max_duration,
//   max_distance or max_stops means no limit, max_overtime null as much as it takes; open_end true:
//   vehicles do not return; shift is a window; breaks are [{window, duration}, ...].
// - features: {"earliness": [number, ...], ...}: columns for networks that were trained with them,
//   a number from -1,000 to 1,000 for each node; read as they are. Nothing else reads them.
// - ref_cost: a number, the best known cost.
// - ref_routes, ref_by: of the public random sets; checked for their form, not kept.
//
// `root` must be an object. `name` is the file's name. kInvalidArgument:
// `name: vehicles[2].depot: got "x", wanted an integer`.
absl::StatusOr<Instance> InstanceFromJson(const nlohmann::json& root, std::string_view name,
                                          const MatrixSource* matrices);

}  // namespace vrp
