// A routing problem: depots, customers, vehicles, distances and durations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/frozen_route.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// A validated, immutable problem. Copies share the data. Thread-safe.
class Instance {
 public:
  // Validates `data`, fills in ids and demands if they are empty, and sorts feature columns by
  // name, and customer_times by customer. Clears further_windows if no node has any. Returns
  // kInvalidArgument with the first wrong field, as `customers[17].demand: got -1, wanted at least
  // 0`. Paths count customers from 0, without the depots.
  static absl::StatusOr<Instance> Create(InstanceData data);
  // Returns the errors of `data`, at most 1,000; an empty list if `data` is valid.
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
  // Returns K, the number of load dimensions (kilograms, pallets), each with its own capacity.
  int32_t load_dimensions() const { return data_->load_dimensions; }
  double demand(NodeIndex node, int32_t dimension = 0) const {
    return data_->demands[LoadAt(node, dimension)];
  }
  double backhaul(NodeIndex node, int32_t dimension = 0) const {
    return has_backhauls() ? data_->backhauls[LoadAt(node, dimension)] : 0;
  }
  double pickup(NodeIndex node, int32_t dimension = 0) const {
    return data_->pickups.empty() ? 0 : data_->pickups[LoadAt(node, dimension)];
  }
  TimeWindow window(NodeIndex node) const {
    return has_windows() ? data_->windows[node] : TimeWindow{};
  }
  double service(NodeIndex node) const {
    return data_->services.empty() ? 0 : data_->services[node];
  }
  // Returns the service time that vehicles of that type need, and their setup time before it.
  double Service(const VehicleType& vehicle, NodeIndex node) const;
  double Setup(const VehicleType& vehicle, NodeIndex node) const;
  // Returns the service time, plus the setup time unless the distance and the travel time from
  // `from` are 0.
  double Work(const VehicleType& vehicle, NodeIndex from, NodeIndex node) const;
  std::span<const VehicleType> vehicles() const { return data_->vehicles; }
  // Returns the capacity of the first vehicle type and load dimension; kNoLimit for a TSP.
  double capacity() const { return vehicles().empty() ? kNoLimit : vehicles().front().capacity; }
  const std::optional<Cost>& reference_cost() const { return data_->reference_cost; }
  double speed() const { return data_->speed; }

  // Returns the distance in the metric's unit.
  double Distance(NodeIndex from, NodeIndex to) const;
  // Returns the travel time: the shortest one of all times of departure.
  double Duration(NodeIndex from, NodeIndex to) const;
  // Returns the distance for vehicles of that type, which may have their own matrix.
  double Distance(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const;
  // Returns the length of the way, which max_distance limits: the distance unless there is a
  // length_matrix.
  double Length(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const;
  // Returns the travel time for vehicles of that type, which may have their own matrix.
  double Duration(const VehicleType& vehicle, NodeIndex from, NodeIndex to) const;
  // Returns the travel time of vehicles that leave at `departure`.
  double Duration(const VehicleType& vehicle, NodeIndex from, NodeIndex to, double departure) const;
  // Returns one entry of TimedMatricesOf.
  double Duration(const TimedMatrix& timed, NodeIndex from, NodeIndex to) const {
    return Entry(timed.durations, from, to);
  }
  // Builds the matrix of all node pairs, [N, N] row-major. The caller must limit its size, N * N *
  // 8 bytes.
  std::vector<double> DistanceMatrix() const;
  std::vector<double> DurationMatrix() const;

  const InstanceData& data() const { return *data_; }
  // Returns the beginnings of routes that every plan must keep (freeze.h). No beginning is empty.
  std::span<const FrozenRoute> frozen() const {
    return frozen_ == nullptr ? std::span<const FrozenRoute>() : *frozen_;
  }

 private:
  friend absl::StatusOr<Instance> Freeze(const Instance& instance, std::vector<FrozenRoute> routes);
  explicit Instance(InstanceData data);
  size_t LoadAt(NodeIndex node, int32_t dimension) const {
    return static_cast<size_t>(node) * data_->load_dimensions + dimension;
  }

  double LeastDuration(const std::vector<TimedMatrix>& list, NodeIndex from, NodeIndex to) const;
  double Entry(const std::vector<double>& matrix, NodeIndex from, NodeIndex to) const {
    if (matrix_rows_ != nullptr) {
      from = matrix_rows_[from];
      to = matrix_rows_[to];
    }
    return matrix[static_cast<size_t>(from) * matrix_size_ + to];
  }

  std::shared_ptr<const InstanceData> data_;
  std::shared_ptr<const std::vector<FrozenRoute>> frozen_;  // null if there are none
  int32_t num_nodes_ = 0;
  int32_t matrix_size_ = 0;               // R
  const int32_t* matrix_rows_ = nullptr;  // part of *data_; null: a node's row is its number
};

}  // namespace vrp
