// Ways, their costs and their limits, as VROOM's vehicles have them.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/instance_data.h"
#include "core/problem/vroom_input.h"
#include "core/problem/vroom_paths.h"

namespace vrp {

// VROOM's costs are those of travel alone, so they are the type's distances: seconds where only
// time costs, metres where only distance does, else their price. What it is made of must outlive
// it; the nodes may grow until Check. Not thread-safe.
class VroomPricing {
 public:
  VroomPricing(const VroomInput& input, const std::vector<std::vector<int32_t>>& groups,
               const VroomNodes& nodes, std::string_view source)
      : input_(input), groups_(groups), nodes_(nodes), source_(source) {}

  // Matrices are kept by node: refuses input whose many tasks at few places need too much memory.
  // The first call; every vehicle's profile and place is known to be in the matrices.
  absl::Status Check();
  // Sets matrices, costs and limits of `type`, which vehicle `number` stands for. `data` has its
  // positions and metric.
  absl::Status Price(const InstanceData& data, int32_t number, VehicleType& type) const;
  // Makes matrices that all types share the instance's own. The last call.
  void Share(InstanceData& data) const;

 private:
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const;
  bool by_matrix() const { return !input_.matrices.empty(); }
  size_t num_nodes() const { return nodes_.places.size(); }
  size_t Row(size_t node) const { return static_cast<size_t>(*nodes_.places[node].index); }
  // Where vehicles start that start with their first task: a depot from which all is 0 away.
  bool IsNowhere(size_t node) const {
    return node < static_cast<size_t>(nodes_.depots) && nodes_.places[node].absent();
  }
  // Whether a type is the first, or has own matrices.
  bool HasMatrices(int32_t number) const { return !alike_ || number == groups_.front().front(); }
  bool AllAlike() const;
  // Whether time alone costs while distance is limited, and a route's whole duration is travel.
  bool PaysByDuration(const VroomVehicle& vehicle) const;
  bool TravelsOnly() const;

  absl::Status ByMatrix(const VroomVehicle& vehicle, int32_t number, VehicleType& type) const;
  void ByDuration(const VroomVehicle& vehicle, int32_t number, VehicleType& type) const;
  void SetMatrices(const VroomVehicle& vehicle, VehicleType& type) const;
  // Rows and columns of the nodes, times `factor`.
  std::vector<double> Expanded(const std::vector<double>& matrix, size_t size, double factor) const;
  absl::Status ByPlace(const InstanceData& data, const VroomVehicle& vehicle,
                       VehicleType& type) const;

  const VroomInput& input_;
  const std::vector<std::vector<int32_t>>& groups_;
  const VroomNodes& nodes_;
  const std::string_view source_;
  bool alike_ = false;  // all vehicles have the same ways and costs of them
};

}  // namespace vrp
