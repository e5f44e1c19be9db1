// One routing problem: depots, customers, vehicles, and what it costs to go from one node to
// another.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/metric.h"

namespace vrp {

// A node's number: the depots first (0 .. D-1; D is 1 in most instances), then the customers in the
// order given.
using NodeIndex = int32_t;

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

enum class ProblemKind {
  kTsp,    // one tour over all nodes; node 0 is where it starts
  kCvrp,   // capacities (and backhauls, several depots, limits on duration, where given)
  kVrptw,  // as kCvrp, with time windows
};

// "tsp", "cvrp", "vrptw".
std::string_view KindName(ProblemKind kind);
std::optional<ProblemKind> KindFromName(std::string_view name);

// Service may start within [open, close], both ends included; an early vehicle waits.
struct TimeWindow {
  double open = 0;
  double close = kNoLimit;

  bool operator==(const TimeWindow&) const = default;
};

// `count` equal vehicles. Each starts at `depot` and, unless `open_end`, ends there.
struct VehicleType {
  std::string id = {};
  int32_t count = 0;  // 0: as many as needed
  NodeIndex depot = 0;
  double capacity = kNoLimit;
  double max_duration =
      kNoLimit;  // from leaving the depot until being back, waiting and service included
  double max_distance = kNoLimit;  // of a route, in the metric's unit
  // A route ends with the service of its last customer: the way back counts for nothing, neither
  // in the cost nor in a limit, and the depot may close meanwhile.
  bool open_end = false;

  bool operator==(const VehicleType&) const = default;
};

// Everything that an Instance is made of. Per-node vectors have length N (depots first).
struct InstanceData {
  std::string name = {};
  ProblemKind kind = ProblemKind::kCvrp;
  Metric metric = Metric::kExact;
  int32_t num_depots = 1;
  std::vector<std::string> ids = {};     // unique; empty: "0" .. "N-1"
  std::vector<Position> positions = {};  // empty only where distance_matrix is given
  std::vector<double> demands = {};      // delivered; 0 at depots; empty: all 0
  std::vector<double> backhauls = {};  // picked up, after all deliveries of the route; empty: none
  std::vector<TimeWindow> windows = {};    // empty: none
  std::vector<double> services = {};       // time at the node; empty: none
  std::vector<VehicleType> vehicles = {};  // at least one; TSP: empty
  double speed = 1;  // distance units a time unit; for durations without a matrix
  std::vector<double>
      distance_matrix;  // [N, N] row-major, may be asymmetric; empty: from positions
  std::vector<double> duration_matrix = {};  // [N, N] row-major; empty: distance / speed
  std::optional<Cost> reference_cost = {};   // best known, where the file states one

  bool operator==(const InstanceData&) const = default;
};

// Sizes and magnitudes beyond these are refused.
inline constexpr int32_t kMaxNodes = 100'000;
inline constexpr int32_t kMaxMatrixNodes = 5'000;
inline constexpr int32_t kMaxVehicles = 1'000'000;  // of one type; also the most types
inline constexpr double kMaxMagnitude = 1e12;       // of coordinates, times, demands, distances

// Immutable and validated; copies share the data. Thread-safe.
class Instance {
 public:
  // Fills in the ids and demands that `data` leaves empty. kInvalidArgument names the first wrong
  // field, as `customers[17].demand: 42 exceeds vehicle capacity 30` (customers are counted from 0
  // there, apart from the depots).
  static absl::StatusOr<Instance> Create(InstanceData data);
  // Every error of `data`, not only the first (but 1,000 at most); empty when it is valid.
  static std::vector<std::string> Validate(const InstanceData& data);

  const std::string& name() const { return data_->name; }
  ProblemKind kind() const { return data_->kind; }
  Metric metric() const { return data_->metric; }
  int32_t num_nodes() const { return num_nodes_; }
  int32_t num_depots() const { return data_->num_depots; }
  int32_t num_customers() const { return num_nodes_ - data_->num_depots; }
  bool is_depot(NodeIndex node) const { return node < data_->num_depots; }

  bool has_positions() const { return !data_->positions.empty(); }
  bool has_windows() const { return !data_->windows.empty(); }
  bool has_backhauls() const { return !data_->backhauls.empty(); }
  bool has_distance_matrix() const { return !data_->distance_matrix.empty(); }

  const std::string& id(NodeIndex node) const { return data_->ids[node]; }
  Position position(NodeIndex node) const { return data_->positions[node]; }
  double demand(NodeIndex node) const { return data_->demands[node]; }
  double backhaul(NodeIndex node) const { return has_backhauls() ? data_->backhauls[node] : 0; }
  TimeWindow window(NodeIndex node) const {
    return has_windows() ? data_->windows[node] : TimeWindow{};
  }
  double service(NodeIndex node) const {
    return data_->services.empty() ? 0 : data_->services[node];
  }
  std::span<const VehicleType> vehicles() const { return data_->vehicles; }
  // Of the first vehicle type: the capacity of instances with one type. kNoLimit for a TSP.
  double capacity() const { return vehicles().empty() ? kNoLimit : vehicles().front().capacity; }
  const std::optional<Cost>& reference_cost() const { return data_->reference_cost; }
  double speed() const { return data_->speed; }

  double Distance(NodeIndex from, NodeIndex to) const;  // in the metric's unit
  double Duration(NodeIndex from, NodeIndex to) const;  // travel time
  // All of them, [N, N] row-major; built anew at each call: N * N * 8 bytes, which the caller
  // bounds.
  std::vector<double> DistanceMatrix() const;
  std::vector<double> DurationMatrix() const;

  const InstanceData& data() const { return *data_; }

 private:
  explicit Instance(InstanceData data);

  std::shared_ptr<const InstanceData> data_;
  int32_t num_nodes_ = 0;
};

}  // namespace vrp
