// Reads instances in our own JSON format.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Builds an instance from our JSON, which is one object. Arrays with an entry for each node list
// the depots first. The reader refuses unknown keys. It requires kind, and coords or
// distance_matrix. Unless the kind is tsp, it also requires demands, and capacity or vehicles.
// - name: a string, by default the file's name.
// - kind: "tsp", "cvrp", "vrptw".
// - metric: how coordinates become distances: "exact" (the default), "cvrplib", "ceil", "dimacs",
//   "scaled1000".
// - objective: "distance", "vehicles_then_distance", "duration", "cost". The default is "cost" if a
//   vehicle states a cost, and "distance" otherwise.
// - num_depots: an integer, 1 by default.
// - ids: unique strings; "0", "1", ... by default.
// - coords: [[x, y], ...].
// - coordinates: "planar" (the default), or "lon_lat": [longitude, latitude], distances in metres.
// - distance_matrix, duration_matrix: N rows of N numbers >= 0. `matrices` may replace both by a
//   name; see matrix_source.h.
// - length_matrix: N rows of N numbers >= 0, which max_distance limits in place of the distances.
// - duration_matrices: [{at, durations}, ...], instead of duration_matrix: the travel times of
//   vehicles that leave at `at`, in increasing order. Between two entries they are linear.
// - matrix_rows: integers, the row and column of each node in all matrices; by default node i has
//   row i. With matrix_rows, the matrices have one row per location.
// - speed: distance units per time unit, 1 by default. Gives durations without a duration_matrix.
// - demands: numbers >= 0, 0 at depots; rows of numbers if there are several load dimensions.
// - backhauls: like demands; picked up after all deliveries of the route, or of the trip between
//   two reloads.
// - pickups: like demands; picked up in any order.
// - time_windows: [[open, close], ...], only for a vrptw. A null close means no end. A third number
//   is the cost of lateness per time unit. A customer's entry may be an array of several windows,
//   of which the last may be soft.
// - horizon: a number that bounds the close of the depots' windows.
// - service, setup, release: one number for all customers, or an array with a number for each node
//   (0 at depots). Service is the time at a customer. Setup is added unless the distance and the
//   travel time from the previous stop are 0. Release is the time at which the goods are ready at
//   the depot.
// - required_skills: [["crane"], [], ...], the skills that the vehicle must have; empty at depots.
// - prizes: numbers; null at depots and at customers that must be served.
// - priorities: integers from 0 to 100, used if not all customers can be served.
// - shipments: [{id, pickup, delivery, amount}, ...]: two node numbers, and a number or an
//   array with one for each load dimension. One vehicle moves the amount between the customers.
// - alternative_groups: [[node, ...], ...]. Exactly one customer of each group is served, or at
//   most one if the group's customers have a prize. A pickup stands for its whole shipment.
// - customer_rules: [{kind, customers, max}, ...]: kind is "same_route", "different_routes",
//   "max_per_route" or "in_order", customers are node numbers, and max_per_route has a max.
// - capacity: a number >= 0, the capacity of an unlimited vehicle type. Not valid with vehicles.
// - vehicles: [{...}, ...]. The keys are the members of VehicleType in vehicle.h, which also states
//   their defaults. `capacity` is an array if there are several load dimensions (null: no limit);
//   it also holds further_capacities.
//   `shift` is a window, a null max_overtime means no limit, and compartments are
//   [{capacity, load_dimensions}, ...]. Breaks are [{window, duration, further_windows, max_load},
//   ...]: a list of windows, and a number or an array with one for each load dimension.
//   customer_times are [{customer, service, setup}, ...], by node number. `matrices` may replace
//   distances and travel times by a name. driving_rules is {preset, time_unit}, or has the members
//   of DrivingRules as keys, or both: keys replace numbers of the preset. `time_unit` is "s", "min"
//   or "h".
// - features: {"earliness": [number, ...], ...}: columns with a number from -1,000 to 1,000 for
//   each node. Only networks that were trained with these columns read them.
// - balance: {measure, max_spread, cost, all_vehicles}. The measure is "duration", "distance",
//   "load" or "stops", and the other keys are the members of Balance in balance.h.
// - ref_cost: a number, the best known cost.
// - ref_routes, ref_by: stated by the public random sets. The reader checks their form only.
//
// `root` must be an object. `name` is the file's name. Returns kInvalidArgument as
// `name: vehicles[2].depot: got "x", wanted an integer from 0 to 2147483647`.
absl::StatusOr<Instance> InstanceFromJson(const nlohmann::json& root, std::string_view name,
                                          const MatrixSource* matrices);

}  // namespace vrp
