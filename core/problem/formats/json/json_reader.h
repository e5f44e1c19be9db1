// Reads our JSON.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Our JSON is one object. Arrays with an entry for each node list the depots first. Unknown keys
// are refused. Required are kind, and coords or distance_matrix; unless the kind is tsp, also
// demands, and capacity or vehicles.
// - name: a string; absent: the file's name.
// - kind: "tsp", "cvrp", "vrptw".
// - metric: how coordinates become distances: "exact" (the default), "cvrplib", "ceil", "dimacs",
//   "scaled1000".
// - objective: "distance", "vehicles_then_distance", "duration", "cost"; absent: "cost" if a
//   vehicle states a cost, else "distance".
// - num_depots: an integer, 1 by default.
// - ids: unique strings; "0", "1", ... by default.
// - coords: [[x, y], ...].
// - coordinates: "planar" (the default), or "lon_lat": [longitude, latitude], distances in metres.
// - distance_matrix, duration_matrix: N rows of N numbers >= 0. Or `matrices`, the name of both, as
//   in matrix_source.h.
// - matrix_rows: integers, the row and column of each node in all matrices, which then have as many
//   rows as there are places; by default node i has row i.
// - speed: distance units per time unit, 1 by default; for durations without a duration_matrix.
// - demands: numbers >= 0, 0 at depots; rows of numbers if there are several load dimensions.
// - backhauls: as demands; picked up after all deliveries of the route.
// - pickups: as demands; picked up in any order.
// - time_windows: [[open, close], ...] with close null for no end; for a vrptw only. A third number
//   is the cost of lateness per time unit. A customer's entry may be an array of several windows,
//   the last of which may be soft.
// - horizon: a number that bounds the close of the depots' windows.
// - service, setup, release: one number for all customers, or an array with one for each node (0 at
//   depots). Service is the time at a customer, setup is added if the vehicle comes from elsewhere,
//   release is when the goods are ready at the depot.
// - required_skills: [["crane"], [], ...] that the vehicle must have; empty at depots.
// - prizes: numbers; null at depots and at customers that must be served.
// - priorities: integers from 0 to 100, which decide on who is served if not all can be.
// - shipments: [{id, pickup, delivery, amount}, ...]: two node numbers, and a number or an array of
//   one for each load dimension. One vehicle brings the amount from the one customer to the other.
// - alternative_groups: [[node, ...], ...], of each of which one customer is served.
// - capacity: a number >= 0, the capacity of a vehicle type without limit on its count. Or
// - vehicles: [{...}, ...], whose keys are the members of VehicleType in vehicle.h, all optional.
//   Absent keys have the defaults given there. `capacity` is an array if there are several load
//   dimensions (null: no limit). `shift` is a window, max_overtime null has no limit, and breaks
//   are [{window, duration}, ...]. `matrices` may stand for both matrices.
// - features: {"earliness": [number, ...], ...}: columns for networks that were trained with them,
//   a number from -1,000 to 1,000 for each node. Nothing else reads them.
// - ref_cost: a number, the best known cost.
// - ref_routes, ref_by: given by the public random sets; checked for their form and not kept.
//
// `root` must be an object. `name` is the file's name. kInvalidArgument:
// `name: vehicles[2].depot: got "x", wanted an integer`.
absl::StatusOr<Instance> InstanceFromJson(const nlohmann::json& root, std::string_view name,
                                          const MatrixSource* matrices);

}  // namespace vrp
