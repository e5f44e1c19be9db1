#include "core/problem/formats/vroom/vroom_input.h"

#include <algorithm>
#include <iterator>

namespace vrp {

std::vector<std::vector<int32_t>> VroomVehicleGroups(const VroomInput& input) {
  const auto same = [](VroomVehicle a, const VroomVehicle& b) {
    a.id = b.id;
    a.description = b.description;
    a.break_names = b.break_names;
    a.steps = b.steps;
    return a == b;
  };
  std::vector<std::vector<int32_t>> groups;
  for (int32_t v = 0; v < std::ssize(input.vehicles); ++v) {
    if (input.vehicles[v].max_tasks == 0) continue;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& members) {
      return same(input.vehicles[members.front()], input.vehicles[v]);
    });
    if (group == groups.end()) {
      groups.push_back({v});
    } else {
      group->push_back(v);
    }
  }
  return groups;
}

// Whether the object has VROOM's keys. Our JSON may also have shipments, but always has a kind.
bool LooksLikeVroom(const nlohmann::json& root) {
  return !root.contains("kind") && (root.contains("jobs") || root.contains("shipments"));
}

}  // namespace vrp
