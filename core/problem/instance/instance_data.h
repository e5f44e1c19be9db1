// The data of an instance, before validation. field_list.h lists all fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/instance/balance.h"
#include "core/problem/instance/feature_columns.h"
#include "core/problem/instance/metric.h"
#include "core/problem/instance/node.h"
#include "core/problem/instance/objective.h"
#include "core/problem/instance/problem_kind.h"
#include "core/problem/instance/units.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

// Converts to and from the names in choices.h, such as "vrptw".
std::string_view KindName(ProblemKind kind);
std::optional<ProblemKind> KindFromName(std::string_view name);

// Goods that a vehicle picks up at one customer and delivers to another on the same route.
struct Shipment {
  std::string id = {};
  NodeIndex pickup = 0;
  NodeIndex delivery = 0;
  std::vector<double> amounts = {};  // [K]

  bool operator==(const Shipment&) const = default;
};

enum class RuleKind {
  kSameRoute,        // those of the customers that are served are on one route
  kDifferentRoutes,  // no two of them are on one route
  kMaxPerRoute,      // at most `max` of them are on one route
  kInOrder,          // those of them that are on one route are visited in this order
};

// A rule between customers. A route is all that a vehicle drives, including reloads. kSameRoute
// rules that have a customer in common, or the two ends of a shipment, hold for all their customers
// together (SameRouteGroups in customer_rules.h).
struct CustomerRule {
  RuleKind kind = RuleKind::kSameRoute;
  std::vector<NodeIndex> customers = {};  // at least two, each once
  int32_t max = INT32_MAX;                // of kMaxPerRoute, at least 1

  bool operator==(const CustomerRule&) const = default;
};

// All data of an Instance. Per-node vectors have length N, depots first; loads are [N, K]
// row-major. An empty vector means that no node has the property.
struct InstanceData {
  std::string name = {};
  ProblemKind kind = ProblemKind::kCvrp;
  Metric metric = Metric::kExact;
  Objective objective = Objective::kDistance;
  CoordinateSystem coordinates = CoordinateSystem::kPlanar;
  int32_t num_depots = 1;
  std::vector<std::string> ids = {};     // unique; empty means "0" to "N-1"
  std::vector<Position> positions = {};  // may be empty only with a distance_matrix
  int32_t load_dimensions = 1;           // K
  std::vector<double> demands = {};      // [N, K] delivered from the depot; 0 at depots
  // [N, K] brought to the depot, after all deliveries of the route, or of the trip between reloads
  std::vector<double> backhauls = {};
  std::vector<double> pickups = {};  // [N, K] brought to the depot, in any order
  std::vector<TimeWindow> windows = {};
  // The windows after the first. Each opens after the previous one closes. Only a node's last
  // window may be soft.
  std::vector<std::vector<TimeWindow>> further_windows = {};
  // Service time at the node. At a depot: the time to load a vehicle before each departure, from
  // the start or a reload. The loading must start within the depot's window; it may end later.
  std::vector<double> services = {};
  // Time before the service. The setup must start within the window; the service may start after
  // it. There is no setup if the distance and the travel time from the previous stop are 0.
  std::vector<double> setups = {};
  // Time at which a customer's goods are ready at the depot. A vehicle leaves its start or reload
  // no earlier than the latest release among the goods that it carries.
  std::vector<double> releases = {};
  std::vector<std::vector<std::string>> required_skills = {};  // skills that the vehicle must have
  std::vector<double> prizes = {};       // lost if the customer is not served; kNoLimit: mandatory
  std::vector<int32_t> priorities = {};  // 0 to 100, used if not all customers can be served
  std::vector<Shipment> shipments = {};  // each customer has at most one shipment
  // Groups of which at most one customer is served. The pickup of a shipment stands for the whole
  // shipment, with the sum of its prizes. A group with a member without a prize must be served; a
  // group whose members all have a prize may be unserved, and its largest prize is lost then. If a
  // member is served, the difference between the largest prize and its own (0 if it has none) is
  // lost. Each customer is in at most one group. Other customers of a group are in no shipment.
  std::vector<std::vector<NodeIndex>> alternative_groups = {};
  std::vector<CustomerRule> customer_rules = {};
  std::vector<VehicleType> vehicles = {};  // at least one; empty for a TSP
  double speed = 1;  // distance units per time unit, for durations without a matrix
  // [R, R] row-major (R: MatrixSize), may be asymmetric. Empty: computed from positions.
  std::vector<double> distance_matrix = {};
  std::vector<double> duration_matrix = {};  // [R, R] row-major; empty: distance / speed
  // Travel times by the time of departure, instead of duration_matrix, in increasing order of `at`.
  // They are linear between two entries, and constant before the first and after the last. Between
  // two entries none falls by more than the time between them, so that nobody arrives earlier who
  // leaves later.
  std::vector<TimedMatrix> duration_matrices = {};
  // Lengths of the ways where distance_matrix has other costs, [R, R] row-major: for max_distance
  // alone, in place of the distances.
  std::vector<double> length_matrix = {};
  // The row and column of each node in all matrices, for many nodes at few locations. Empty means
  // the node's number, so that R is N.
  std::vector<int32_t> matrix_rows = {};
  std::optional<Balance> balance = {};
  std::optional<Cost> reference_cost = {};  // best known cost, if the file states it
  StatedUnits units = {};
  std::vector<FeatureColumn> features = {};  // only for networks; an Instance sorts these by name

  bool operator==(const InstanceData&) const = default;
};

// Returns N, the number of positions. Without positions, N is the length of matrix_rows or, without
// those, the number of rows of distance_matrix.
int32_t NodeCount(const InstanceData& data);
// Returns R, the number of rows of each matrix: N without matrix_rows. Otherwise returns the rows
// of the first matrix found, or 0 without matrices.
int32_t MatrixSize(const InstanceData& data);
// Returns the travel times by departure of vehicles of that type, its own or else the instance's.
// An empty list means that the travel times are the same at all times.
const std::vector<TimedMatrix>& TimedMatricesOf(const InstanceData& data,
                                                const VehicleType& vehicle);
// Whether a cost or rules of driving depend on when the vehicle leaves. It then leaves as late as
// it can without delaying the route's end, as if a limit depended on the route's duration.
inline bool NeedsTimedDriving(const InstanceData& data, const VehicleType& vehicle) {
  return (vehicle.driving_rules != DrivingRules() || vehicle.cost_per_travel_time != 0) &&
         !TimedMatricesOf(data, vehicle).empty();
}
// Whether max_distance limits lengths that are not the distances.
inline bool LimitsLength(const InstanceData& data, const VehicleType& vehicle) {
  return vehicle.max_distance != kNoLimit &&
         !(vehicle.length_matrix.empty() && data.length_matrix.empty());
}
// Expands every matrix to [N, N] (N * N * 8 bytes each) and clears matrix_rows. `data` must be
// valid.
void ExpandMatrices(InstanceData& data);

// The limits below bound an instance. Larger instances are refused.
inline constexpr int32_t kMaxNodes = 100'000;         // depots and customers
inline constexpr size_t kMaxInstanceNameBytes = 256;  // length of each name and id
inline constexpr int32_t kMaxMatrixNodes = 5'000;     // rows of a matrix
inline constexpr size_t kMaxTimedMatrices = 48;       // entries of duration_matrices
// Bounds the values of all entries of duration_matrices together (200 MB).
inline constexpr size_t kMaxTimedValues = size_t{kMaxMatrixNodes} * kMaxMatrixNodes;
inline constexpr int32_t kMaxVehicles = 1'000'000;  // vehicles of one type, and number of types
// Largest absolute value of coordinates, times, loads, distances, costs and prizes.
inline constexpr double kMaxMagnitude = 1e12;
inline constexpr int32_t kMaxLoadDimensions = 64;
inline constexpr int32_t kMaxCustomerPriority = 100;
inline constexpr size_t kMaxBreaks = 64;  // breaks of a vehicle
inline constexpr size_t kMaxCompartments = 16;

}  // namespace vrp
