// Computes travel times, distances, costs and limits of VROOM's vehicles.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/formats/vroom/vroom_input.h"
#include "core/problem/formats/vroom/vroom_paths.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// A builder of the travel times, distances, costs and limits of vehicle types. VROOM's costs are
// costs of travel, so they become costs of the type's distances. Without matrices in the file,
// distances are metres. With matrices, distances are seconds if the cost depends only on time,
// metres if it depends only on distance, else the cost itself. If LimitsLength, lengths are metres
// beside distances that are costs. If CostsByDuration, distances are
// metres and durations have the cost. If SplitsCosts, distances are metres and travel times have a
// cost too. All arguments must outlive the builder; the nodes may grow
// until Check. Not thread-safe.
class VroomTravel {
 public:
  VroomTravel(const VroomInput& input, const std::vector<std::vector<int32_t>>& groups,
              const VroomNodes& nodes, std::string_view source)
      : input_(input), groups_(groups), nodes_(nodes), source_(source) {}

  // Returns kInvalidArgument if the matrices have too many rows or need too much memory. Call this
  // first. If the file has matrices, they must include every vehicle's profile and every location.
  absl::Status Check();
  // Sets matrices, costs and limits of `type`, the type of vehicle `number`. `data` must have its
  // positions and metric. Returns kInvalidArgument naming the vehicle's field.
  absl::Status SetTravel(const InstanceData& data, int32_t number, VehicleType& type) const;
  // Moves matrices that all types share to the instance, and sets its matrix_rows. If the file has
  // matrices that types do not share, copies the first type's to the instance. Call this last.
  void ShareMatrices(InstanceData& data) const;

 private:
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const;
  bool by_matrix() const { return !input_.matrices.empty(); }
  size_t num_nodes() const { return nodes_.locations.size(); }
  size_t Row(size_t node) const { return static_cast<size_t>(*nodes_.locations[node].index); }
  // Whether the node is an open start, the start of vehicles that begin with their first task. Such
  // a depot has distance 0 to all nodes.
  bool IsOpenStart(size_t node) const {
    return node < static_cast<size_t>(nodes_.depots) && nodes_.locations[node].absent();
  }
  bool HasOpenStart() const;
  // Whether the instance needs matrices: the file has some, or a vehicle has its own speed or an
  // open start.
  bool NeedsMatrices() const;
  // Whether the type of vehicle `number` is the first or has its own matrices.
  bool HasMatrices(int32_t number) const {
    return !same_matrices_ || number == groups_.front().front();
  }
  bool HaveSameMatrices() const;
  void FindRows();
  // Refuses travel times and costs that exceed kMaxMagnitude, and names the field that causes them.
  absl::Status CheckTravel(const VroomVehicle& vehicle, int32_t number,
                           const VehicleType& type) const;
  // Whether the cost depends only on time, the distance is limited, the profile has distances, and
  // every route's duration is only travel time.
  bool CostsByDuration(const VroomVehicle& vehicle) const;
  bool HasOnlyTravelTime() const;
  // Whether the distance is limited, and the cost depends on time in another way.
  bool SplitsCosts(const VroomVehicle& vehicle) const;
  // Whether the distance is limited, and the profile has costs and distances.
  bool LimitsLength(const VroomVehicle& vehicle) const;

  absl::Status SetByMatrix(const VroomVehicle& vehicle, int32_t number, VehicleType& type) const;
  void SetByDuration(const VroomVehicle& vehicle, int32_t number, VehicleType& type) const;
  void SetBothCosts(const VroomVehicle& vehicle, int32_t number, VehicleType& type) const;
  void SetMatrices(const VroomVehicle& vehicle, VehicleType& type) const;
  // Returns the travel time from an open start to other nodes: nearly 0, or 0 without setup times.
  double TimeFromOpenStart() const;
  // Returns the entries of `matrix`, [size, size], between the locations of row_nodes_, multiplied
  // by `factor`. Entries from an open start are `from_open_start`; those to it are 0.
  std::vector<double> Selected(const std::vector<double>& matrix, size_t size, double factor,
                               double from_open_start = 0) const;
  void SetByPosition(const InstanceData& data, const VroomVehicle& vehicle, int32_t number,
                     VehicleType& type) const;

  const VroomInput& input_;
  const std::vector<std::vector<int32_t>>& groups_;
  const VroomNodes& nodes_;
  const std::string_view source_;
  bool same_matrices_ = false;  // whether all vehicles have the same matrices
  // A node for each row of the instance's matrices, and the row of each node. If rows_ is empty,
  // each node has its own row.
  std::vector<size_t> row_nodes_;
  std::vector<int32_t> rows_;
};

}  // namespace vrp
