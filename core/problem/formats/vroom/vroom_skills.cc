#include "core/problem/formats/vroom/vroom_skills.h"

#include <optional>
#include <set>

#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {

VroomSkills::VroomSkills(const InstanceData& data) {
  std::set<std::string> all;
  for (const auto& skills : data.required_skills) all.insert(skills.begin(), skills.end());
  for (const VehicleType& type : data.vehicles) {
    all.insert(type.skills.begin(), type.skills.end());
  }
  bool all_numeric = true;
  for (const std::string& skill : all) {
    const std::optional<int64_t> number = ParseInteger(skill);
    all_numeric = all_numeric && number.has_value() && *number > 0 && *number <= INT32_MAX &&
                  Concat(*number) == skill;
  }
  for (const std::string& skill : all) {
    const int64_t next = static_cast<int64_t>(numbers_.size()) + 1;
    numbers_[skill] = all_numeric ? *ParseInteger(skill) : next;
  }
}

nlohmann::ordered_json VroomSkills::NumbersOf(const std::vector<std::string>& skills) const {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const std::string& skill : skills) array.push_back(numbers_.at(skill));
  return array;
}

}  // namespace vrp
