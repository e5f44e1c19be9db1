// What an instance is made of, before it is validated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/instance/feature_columns.h"
#include "core/problem/instance/metric.h"
#include "core/problem/instance/node.h"
#include "core/problem/instance/objective.h"
#include "core/problem/instance/problem_kind.h"
#include "core/problem/instance/units.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

// "tsp", "cvrp", "vrptw".
std::string_view KindName(ProblemKind kind);
std::optional<ProblemKind> KindFromName(std::string_view name);

// Goods that one vehicle picks up at one customer and brings, in the same route, to another.
struct Shipment {
  std::string id = {};
  NodeIndex pickup = 0;
  NodeIndex delivery = 0;
  std::vector<double> amounts = {};  // [K]

  bool operator==(const Shipment&) const = default;
};

// Everything that an Instance is made of. Per-node vectors have length N (depots first), loads [N,
// K] row-major; those that are empty say that no node has such a thing.
struct InstanceData {
  std::string name = {};
  ProblemKind kind = ProblemKind::kCvrp;
  Metric metric = Metric::kExact;
  Objective objective = Objective::kDistance;
  CoordinateSystem coordinates = CoordinateSystem::kPlanar;
  int32_t num_depots = 1;
  std::vector<std::string> ids = {};     // unique; empty: "0" .. "N-1"
  std::vector<Position> positions = {};  // empty only where distance_matrix is given
  int32_t load_dimensions = 1;           // K
  std::vector<double> demands = {};      // [N, K] delivered from the depot; 0 at depots
  std::vector<double> backhauls =
      {};  // [N, K] brought to the depot, after all deliveries of the route
  std::vector<double> pickups = {};  // [N, K] brought to the depot, in any order
  std::vector<TimeWindow> windows = {};
  // The windows after the first one: each opens after the one before it has closed. Only the last
  // of a node's may be soft.
  std::vector<std::vector<TimeWindow>> further_windows = {};
  std::vector<double> services = {};  // time at the node
  // Time before the service, within the window, where the vehicle comes from elsewhere: the
  // distance or the travel time from its last stop is not 0.
  std::vector<double> setups = {};
  // When a customer's goods are ready at the depot: the vehicle starts (or leaves its reload) no
  // sooner than the latest of those that it then carries.
  std::vector<double> releases = {};
  std::vector<std::vector<std::string>> required_skills = {};  // that the vehicle must have
  std::vector<double> prizes = {};  // lost when the customer is left out; kNoLimit: it may not be
  std::vector<int32_t> priorities = {};  // 0 .. 100, of customers when not all can be served
  std::vector<Shipment> shipments = {};  // a customer is in one at most
  // Of each group's customers exactly one is served (at most one, where one of them has a prize,
  // which is lost when none is: all have the same); a customer is in one group at most.
  std::vector<std::vector<NodeIndex>> alternative_groups = {};
  std::vector<VehicleType> vehicles = {};  // at least one; TSP: empty
  double speed = 1;  // distance units a time unit; for durations without a matrix
  // [R, R] row-major, R: MatrixSize; may be asymmetric. Empty: from positions.
  std::vector<double> distance_matrix = {};
  std::vector<double> duration_matrix = {};  // [R, R] row-major; empty: distance / speed
  // The row and column of each node in all matrices, where many nodes share few places. Empty: the
  // node's own number, so that R is N.
  std::vector<int32_t> matrix_rows = {};
  std::optional<Cost> reference_cost = {};  // best known, where the file states one
  StatedUnits units = {};
  std::vector<FeatureColumn> features = {};  // for networks alone; by name once it is an Instance

  bool operator==(const InstanceData&) const = default;
};

// N: as many as `data` has positions, or rows of a matrix; valid data agrees on it.
int32_t NodeCount(const InstanceData& data);
// Returns R, the number of rows of each matrix: N where there are no matrix_rows, else that of the
// first matrix.
int32_t MatrixSize(const InstanceData& data);
// Writes every matrix out to [N, N] and drops matrix_rows: takes N * N * 8 bytes for each. `data`
// must be valid.
void ExpandMatrices(InstanceData& data);

// Sizes and magnitudes beyond these are refused.
inline constexpr int32_t kMaxNodes = 100'000;
inline constexpr size_t kMaxInstanceNameBytes = 256;  // of names, ids and skills
inline constexpr int32_t kMaxMatrixNodes = 5'000;     // rows of a matrix
inline constexpr int32_t kMaxVehicles = 1'000'000;    // of one type; also the most types
inline constexpr double kMaxMagnitude = 1e12;         // of coordinates, times, demands, distances
inline constexpr int32_t kMaxLoadDimensions = 64;
inline constexpr int32_t kMaxCustomerPriority = 100;
inline constexpr size_t kMaxBreaks = 16;  // of a vehicle

}  // namespace vrp
