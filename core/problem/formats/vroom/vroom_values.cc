#include "core/problem/formats/vroom/vroom_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/problem/instance/instance_data.h"

namespace vrp {

using nlohmann::json;

namespace {

// Whether the windows are valid, and each opens after the previous one closes.
bool AreDisjoint(const std::vector<TimeWindow>& windows) {
  double before = -1;
  for (const TimeWindow& window : windows) {
    const bool is_valid = window.open > before && window.close >= window.open;  // false for NaN
    if (!is_valid || window.open < 0 || window.close > kMaxMagnitude) return false;
    before = window.close;
  }
  return true;
}

}  // namespace

absl::StatusOr<int64_t> ReadVroomId(JsonFields& fields) {
  const json* id = fields.Find("id");
  const bool in_range = id != nullptr && id->is_number_integer() &&
                        (!id->is_number_unsigned() || id->get<uint64_t>() <= INT64_MAX);
  if (in_range) return id->get<int64_t>();
  return fields.Error("id", id == nullptr ? "absent" : Concat("got ", Shown(*id)),
                      ", wanted an integer below 2^63");
}

absl::StatusOr<double> ReadVroomNumber(JsonFields& fields, const std::string& key, double absent) {
  VRP_ASSIGN_OR_RETURN(const std::optional<double> value, fields.Number(key));
  return value.value_or(absent);
}

absl::StatusOr<std::map<std::string, double>> ReadVroomTimesPerType(JsonFields& fields,
                                                                    const std::string& key) {
  std::map<std::string, double> times;
  const json* object = fields.Find(key);
  if (object == nullptr) return times;
  if (!object->is_object()) {
    return fields.Error(key, "got ", Shown(*object), ", wanted an object");
  }
  for (const auto& [type, value] : object->items()) {
    if (!value.is_number()) {
      return fields.Error(Concat(key, ".", type), "got ", Shown(value), ", wanted a number");
    }
    times[type] = value.get<double>();
  }
  return times;
}

absl::StatusOr<std::string> ReadVroomDescription(JsonFields& fields) {
  VRP_ASSIGN_OR_RETURN(std::optional<std::string> description, fields.String("description"));
  return std::move(description).value_or("");
}

absl::StatusOr<std::vector<std::string>> ReadVroomSkills(JsonFields& fields) {
  std::vector<std::string> skills;
  const json* array = fields.Find("skills");
  if (array == nullptr) return skills;
  if (!array->is_array()) {
    return fields.Error("skills", "got ", Shown(*array), ", wanted an array of integers");
  }
  for (size_t i = 0; i < array->size(); ++i) {
    if (!(*array)[i].is_number_integer()) {
      return fields.Error(Concat("skills[", i, "]"), "got ", Shown((*array)[i]),
                          ", wanted an integer");
    }
    skills.push_back(Concat((*array)[i].get<int64_t>()));
  }
  return skills;
}

absl::StatusOr<std::vector<TimeWindow>> ReadVroomWindows(JsonFields& fields) {
  VRP_ASSIGN_OR_RETURN(const std::vector<double> ends, fields.Rows("time_windows", 2));
  std::vector<TimeWindow> windows;
  for (size_t i = 0; i < ends.size(); i += 2) {
    windows.push_back({.open = ends[i], .close = ends[i + 1]});
  }
  std::vector<TimeWindow> sorted = windows;
  std::ranges::sort(sorted, {}, &TimeWindow::open);
  // Errors in other windows name their indices in the file.
  return AreDisjoint(sorted) ? sorted : windows;
}

absl::StatusOr<VroomLocation> ReadVroomLocation(JsonFields& fields, const std::string& coordinates,
                                                const std::string& index) {
  VroomLocation location;
  VRP_ASSIGN_OR_RETURN(const std::vector<double> numbers, fields.Numbers(coordinates));
  if (!numbers.empty() && numbers.size() != 2) {
    return fields.Error(coordinates, "has ", numbers.size(),
                        " numbers, wanted longitude and latitude");
  }
  if (!numbers.empty()) location.position = Position{numbers[0], numbers[1]};
  VRP_ASSIGN_OR_RETURN(location.index, fields.Integer(index));
  return location;
}

}  // namespace vrp
