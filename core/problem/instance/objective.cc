#include "core/problem/instance/objective.h"

#include <array>
#include <cstddef>
#include <utility>

namespace vrp {
namespace {

constexpr std::array<std::pair<Objective, std::string_view>, 4> kNames = {{
    {Objective::kDistance, "distance"},
    {Objective::kVehiclesThenDistance, "vehicles_then_distance"},
    {Objective::kDuration, "duration"},
    {Objective::kCost, "cost"},
}};

}  // namespace

std::string_view ObjectiveName(Objective objective) {
  return kNames[static_cast<size_t>(objective)].second;
}

std::optional<Objective> ObjectiveFromName(std::string_view name) {
  for (const auto& [objective, objective_name] : kNames) {
    if (objective_name == name) return objective;
  }
  return std::nullopt;
}

}  // namespace vrp
