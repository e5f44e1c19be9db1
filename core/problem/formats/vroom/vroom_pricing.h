// Travel times, distances, costs and limits of VROOM's vehicles.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/formats/vroom/vroom_input.h"
#include "core/problem/formats/vroom/vroom_paths.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Sets the travel times, distances, costs and limits of vehicle types. VROOM's costs are those of
// travel alone, so they become the type's distances: seconds where only time costs, metres where
// only distance does, else their price. All arguments must outlive it; the nodes may grow until
// Check. Not thread-safe.
class VroomPricing {
 public:
  VroomPricing(const VroomInput& input, const std::vector<std::vector<int32_t>>& groups,
               const VroomNodes& nodes, std::string_view source)
      : input_(input), groups_(groups), nodes_(nodes), source_(source) {}

  // Refuses input whose matrices need too much memory. The first call; every vehicle's profile and
  // place must be in the matrices.
  absl::Status Check();
  // Sets matrices, costs and limits of `type`, which vehicle `number` stands for. `data` has its
  // positions and metric.
  absl::Status Price(const InstanceData& data, int32_t number, VehicleType& type) const;
  // Moves matrices that all types share to the instance. The last call.
  void Share(InstanceData& data) const;

 private:
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const;
  bool by_matrix() const { return !input_.matrices.empty(); }
  size_t num_nodes() const { return nodes_.places.size(); }
  size_t Row(size_t node) const { return static_cast<size_t>(*nodes_.places[node].index); }
  // Whether the node stands for the start of vehicles that begin with their first task: a depot
  // that is 0 away from all nodes.
  bool IsOpenStart(size_t node) const {
    return node < static_cast<size_t>(nodes_.depots) && nodes_.places[node].absent();
  }
  bool HasOpenStart() const;
  // Whether some vehicle needs matrices: always by matrix, by place where one does not drive at
  // VROOM's speed or has an open start.
  bool NeedsMatrices() const;
  // Whether a type is the first, or has own matrices.
  bool HasMatrices(int32_t number) const { return !alike_ || number == groups_.front().front(); }
  bool AllAlike() const;
  void FindPlaces();
  // Travel times and costs that are too large for an instance, by the field that makes them so.
  absl::Status CheckTravel(const VroomVehicle& vehicle, int32_t number,
                           const VehicleType& type) const;
  // Whether time alone costs while distance is limited, and a route's whole duration is travel.
  bool PaysByDuration(const VroomVehicle& vehicle) const;
  bool HasOnlyTravelTime() const;

  absl::Status ByMatrix(const VroomVehicle& vehicle, int32_t number, VehicleType& type) const;
  void ByDuration(const VroomVehicle& vehicle, int32_t number, VehicleType& type) const;
  void SetMatrices(const VroomVehicle& vehicle, VehicleType& type) const;
  // Returns the rows and columns of the places, times `factor`.
  std::vector<double> Selected(const std::vector<double>& matrix, size_t size, double factor) const;
  void ByPlace(const InstanceData& data, const VroomVehicle& vehicle, int32_t number,
               VehicleType& type) const;

  const VroomInput& input_;
  const std::vector<std::vector<int32_t>>& groups_;
  const VroomNodes& nodes_;
  const std::string_view source_;
  bool alike_ = false;  // all vehicles have the same matrices
  // A node for each row of the instance's matrices, and the row of each node. No rows: each node
  // has its own.
  std::vector<size_t> places_;
  std::vector<int32_t> rows_;
};

}  // namespace vrp
