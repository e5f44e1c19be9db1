// Distances and durations between the nodes of an instance.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/problem/instance/instance.h"
#include "core/search/model/distance_matrix.h"
#include "core/search/model/travel_profiles.h"
#include "core/search/model/vehicle.h"

namespace vrp {

// Immutable; thread-safe.
class Travel {
 public:
  // Distances of up to this many nodes are kept as a matrix (32 MB); above it they are computed
  // when asked for.
  static constexpr int32_t kMatrixNodes = 2000;

  const Instance& instance() const { return instance_; }
  int32_t size() const { return size_; }       // nodes, depots included
  NodeIndex nowhere() const { return size_; }  // where open routes end: no way leads there
  double inverse_speed() const { return inverse_speed_; }

  // Whether the distances of all vehicles are the same, and the least cost of one of them.
  bool one_distance() const { return one_distance_; }
  double least_per_distance() const { return least_per_distance_; }
  double Distance(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
    if (to == size_) return 0;
    if (vehicle.distance != nullptr) {
      return vehicle.distance[static_cast<int64_t>(from) * size_ + to];
    }
    return exact_positions_ != nullptr && vehicle.row_distance == nullptr
               ? ExactDistance(exact_positions_[from], exact_positions_[to])
               : DistanceWithoutMatrix(vehicle, from, to);
  }
  double Duration(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
    return Duration(vehicle, from, to,
                    vehicle.duration != nullptr ? 0 : Distance(vehicle, from, to));
  }
  // Where that distance is known.
  double Duration(const Vehicle& vehicle, NodeIndex from, NodeIndex to, double distance) const {
    if (to == size_) return 0;
    if (vehicle.duration != nullptr) {
      return vehicle.duration[static_cast<int64_t>(from) * size_ + to];
    }
    return vehicle.row_duration == nullptr ? distance * inverse_speed_
                                           : RowEntry(vehicle.row_duration, from, to);
  }

  // Of the first vehicle, between nodes that share no rows of matrices, faster than the above.
  bool symmetric() const { return symmetric_; }
  // Distances from `from` to all nodes, or null where there is no matrix.
  const double* DistanceRow(NodeIndex from) const {
    return distances_ == nullptr ? nullptr : distances_ + static_cast<int64_t>(from) * size_;
  }
  double Distance(NodeIndex from, NodeIndex to) const {
    if (distances_ != nullptr) return distances_[static_cast<int64_t>(from) * size_ + to];
    return exact_positions_ == nullptr
               ? instance_.Distance(from, to)
               : ExactDistance(exact_positions_[from], exact_positions_[to]);
  }
  // Likewise durations, or null where they follow from the distances.
  const double* DurationRow(NodeIndex from) const {
    return durations_ == nullptr ? nullptr : durations_ + static_cast<int64_t>(from) * size_;
  }
  double Duration(NodeIndex from, NodeIndex to) const {
    return durations_ == nullptr ? Distance(from, to) * inverse_speed_
                                 : durations_[static_cast<int64_t>(from) * size_ + to];
  }
  // Returns the travel time by departure of a vehicle that has `profiles`. `to` is not nowhere().
  TravelTime TravelTimeOf(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
    if (vehicle.duration != nullptr) {
      return vehicle.profiles->Of(static_cast<int64_t>(from) * size_ + to);
    }
    return vehicle.profiles->Of(matrix_rows_[from] * matrix_size_ + matrix_rows_[to]);
  }
  // Returns the travel time of who leaves at `departure`.
  double DurationFrom(const Vehicle& vehicle, NodeIndex from, NodeIndex to,
                      double departure) const {
    return vehicle.profiles == nullptr || to == size_
               ? Duration(vehicle, from, to)
               : TravelTimeOf(vehicle, from, to).From(departure);
  }
  double SequenceDistance(std::span<const NodeIndex> nodes) const;

 protected:
  explicit Travel(const Instance& instance);
  // Sets the matrices of `vehicles`, which `types` became. Without a matrix of distances, and while
  // `stop` leaves the time, makes one.
  void SetMatrices(std::span<const VehicleType* const> types, const StopCondition& stop,
                   std::vector<Vehicle>& vehicles);

 private:
  // Sets the durations of `vehicle`, which `type` became.
  void SetDurations(const VehicleType& type, Vehicle& vehicle);
  double DistanceWithoutMatrix(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const;
  // Returns an entry of a matrix whose rows nodes may share.
  double RowEntry(const double* matrix, NodeIndex from, NodeIndex to) const {
    return matrix[matrix_rows_[from] * matrix_size_ + matrix_rows_[to]];
  }

  Instance instance_;  // shares its data
  int32_t size_;
  int64_t matrix_size_;         // rows of row_distance and row_duration
  const int32_t* matrix_rows_;  // of the instance's data: the row of each node
  double inverse_speed_;
  bool symmetric_ = true, one_distance_ = true;
  double least_per_distance_ = kNoLimit;
  const Position* exact_positions_ = nullptr;  // as ExactPositions
  std::vector<double> own_distances_;
  std::vector<std::shared_ptr<const TravelProfiles>> profiles_;  // of the vehicles, for copies too
  const TravelProfiles* shared_profiles_ = nullptr;              // of the instance's own list
  const double* distances_ = nullptr;                            // [N, N] of the first vehicle
  const double* durations_ = nullptr;
};

}  // namespace vrp
