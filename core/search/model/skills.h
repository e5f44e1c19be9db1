// Which vehicles may serve which nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/instance/instance.h"
#include "core/search/model/vehicle.h"

namespace vrp {

// Immutable; thread-safe.
class Skills {
 public:
  Skills() = default;
  // Sets the skills of `vehicles`, which `types` became.
  Skills(const Instance& instance, std::span<const VehicleType* const> types,
         std::vector<Vehicle>& vehicles);

  // Whether the vehicle has all skills that the node requires.
  bool Allowed(const Vehicle& vehicle, NodeIndex node) const {
    return allowed_[required_[node] * owned_sets_ + vehicle.skills] != 0;
  }
  // Whether some nodes are known to have no vehicle in common.
  bool any_apart() const { return !together_.empty(); }
  // Whether some vehicle may serve both, if any_apart().
  bool MayShareVehicle(NodeIndex a, NodeIndex b) const {
    return together_[required_[a] * required_sets_ + required_[b]] != 0;
  }

 private:
  void CompareRequired();

  int64_t required_sets_ = 1, owned_sets_ = 1;
  std::vector<int32_t> required_;  // [N] the set of skills that the node requires
  std::vector<char> allowed_;      // [required_sets_, owned_sets_]
  std::vector<char> together_;     // [required_sets_, required_sets_], or empty
};

}  // namespace vrp
