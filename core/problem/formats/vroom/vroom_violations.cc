#include "core/problem/formats/vroom/vroom_violations.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace vrp {
namespace {

// The names of the causes, in their order.
constexpr std::array<std::string_view, 10> kNames = {
    "lead_time",     "delay",           "load",         "max_tasks", "skills", "precedence",
    "missing_break", "max_travel_time", "max_distance", "max_load"};
static_assert(kNames.size() == static_cast<size_t>(VroomCause::kMaxLoad) + 1);

}  // namespace

nlohmann::ordered_json VroomViolations::ToJson() const {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const auto& [cause, seconds] : seconds_) {
    nlohmann::ordered_json violation = {{"cause", kNames[static_cast<size_t>(cause)]}};
    if (cause == VroomCause::kLeadTime || cause == VroomCause::kDelay) {
      violation["duration"] = seconds;
    }
    array.push_back(std::move(violation));
  }
  return array;
}

}  // namespace vrp
