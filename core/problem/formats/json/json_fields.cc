#include "core/problem/formats/json/json_fields.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/status_macros.h"

namespace vrp {

using nlohmann::json;

std::string Shown(const json& value) {
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>());
  if (value.is_structured()) return Concat("an ", value.type_name());
  return value.dump();
}

JsonFields::JsonFields(const json& object, std::string_view location)
    : object_(object),
      prefix_(Concat(location, location.find(": ") != location.npos ? "." : ": ")) {}

const json* JsonFields::Find(const std::string& key) {
  known_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

absl::StatusOr<double> JsonFields::NumberAt(const json& value, std::string_view path) const {
  if (value.is_number()) return value.get<double>();
  return Error(path, "got ", Shown(value), ", wanted a number");
}

absl::StatusOr<const json*> JsonFields::ArrayAt(const std::string& key) {
  const json* value = Find(key);
  if (value == nullptr || value->is_array()) return value;
  return Error(key, "got ", Shown(*value), ", wanted an array");
}

absl::StatusOr<std::optional<std::string>> JsonFields::String(const std::string& key) {
  const json* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  return Error(key, "got ", Shown(*value), ", wanted a string");
}

absl::StatusOr<std::optional<double>> JsonFields::Number(const std::string& key) {
  const json* value = Find(key);
  if (value == nullptr) return std::nullopt;
  return NumberAt(*value, key);
}

absl::StatusOr<std::optional<bool>> JsonFields::Boolean(const std::string& key) {
  const json* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  return Error(key, "got ", Shown(*value), ", wanted true or false");
}

absl::StatusOr<int32_t> JsonFields::IntegerAt(const json& value, std::string_view path) const {
  // nlohmann::json stores integers that are not negative as unsigned.
  if (value.is_number_unsigned() &&
      value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    return value.get<int32_t>();
  }
  return Error(path, "got ", Shown(value), ", wanted an integer from 0 to 2147483647");
}

absl::StatusOr<std::optional<int32_t>> JsonFields::Integer(const std::string& key) {
  const json* value = Find(key);
  if (value == nullptr) return std::nullopt;
  return IntegerAt(*value, key);
}

absl::StatusOr<std::vector<std::string>> JsonFields::StringsAt(const json& value,
                                                               const std::string& path) const {
  if (!value.is_array()) return Error(path, "got ", Shown(value), ", wanted an array");
  std::vector<std::string> strings;
  for (const json& entry : value) {
    if (!entry.is_string()) {
      return Error(Concat(path, "[", strings.size(), "]"), "got ", Shown(entry),
                   ", wanted a string");
    }
    strings.push_back(entry.get<std::string>());
  }
  return strings;
}

absl::StatusOr<std::vector<int32_t>> JsonFields::IntegersAt(const json& value,
                                                            const std::string& path) const {
  if (!value.is_array()) return Error(path, "got ", Shown(value), ", wanted an array");
  std::vector<int32_t> integers;
  for (const json& entry : value) {
    VRP_ASSIGN_OR_RETURN(const int32_t integer,
                         IntegerAt(entry, Concat(path, "[", integers.size(), "]")));
    integers.push_back(integer);
  }
  return integers;
}

absl::StatusOr<std::vector<std::string>> JsonFields::Strings(const std::string& key) {
  const json* value = Find(key);
  if (value == nullptr) return std::vector<std::string>();
  return StringsAt(*value, key);
}

absl::StatusOr<std::vector<int32_t>> JsonFields::Integers(const std::string& key) {
  const json* value = Find(key);
  if (value == nullptr) return std::vector<int32_t>();
  return IntegersAt(*value, key);
}

absl::StatusOr<std::vector<std::vector<std::string>>> JsonFields::StringLists(
    const std::string& key) {
  VRP_ASSIGN_OR_RETURN(const json* array, ArrayAt(key));
  std::vector<std::vector<std::string>> lists;
  if (array == nullptr) return lists;
  for (const json& entry : *array) {
    VRP_ASSIGN_OR_RETURN(std::vector<std::string> list,
                         StringsAt(entry, Concat(key, "[", lists.size(), "]")));
    lists.push_back(std::move(list));
  }
  return lists;
}

absl::StatusOr<std::vector<std::vector<int32_t>>> JsonFields::IntegerLists(const std::string& key) {
  VRP_ASSIGN_OR_RETURN(const json* array, ArrayAt(key));
  std::vector<std::vector<int32_t>> lists;
  if (array == nullptr) return lists;
  for (const json& entry : *array) {
    VRP_ASSIGN_OR_RETURN(std::vector<int32_t> list,
                         IntegersAt(entry, Concat(key, "[", lists.size(), "]")));
    lists.push_back(std::move(list));
  }
  return lists;
}

absl::StatusOr<std::vector<double>> JsonFields::Numbers(const std::string& key,
                                                        std::optional<double> null_value) {
  VRP_ASSIGN_OR_RETURN(const json* array, ArrayAt(key));
  std::vector<double> numbers;
  if (array == nullptr) return numbers;
  numbers.reserve(array->size());
  for (const json& value : *array) {
    if (value.is_null() && null_value.has_value()) {
      numbers.push_back(*null_value);
      continue;
    }
    VRP_ASSIGN_OR_RETURN(const double number,
                         NumberAt(value, Concat(key, "[", numbers.size(), "]")));
    numbers.push_back(number);
  }
  return numbers;
}

absl::StatusOr<size_t> JsonFields::Columns(const std::string& key) {
  VRP_ASSIGN_OR_RETURN(const json* array, ArrayAt(key));
  if (array == nullptr || array->empty()) return size_t{0};
  return array->front().is_array() ? array->front().size() : size_t{1};
}

absl::StatusOr<std::vector<double>> JsonFields::Table(const std::string& key, size_t columns) {
  if (columns == 1) return Numbers(key);
  return Rows(key, columns);
}

absl::StatusOr<std::vector<double>> JsonFields::Rows(const std::string& key, size_t columns,
                                                     std::optional<double> null_value) {
  VRP_ASSIGN_OR_RETURN(const json* array, ArrayAt(key));
  std::vector<double> numbers;
  if (array == nullptr) return numbers;
  if (columns == 0) columns = array->size();
  for (size_t i = 0; i < array->size(); ++i) {
    const json& row = (*array)[i];
    if (!row.is_array() || row.size() != columns) {
      return Error(Concat(key, "[", i, "]"), "got ",
                   row.is_array() ? Concat(row.size(), " entries") : Shown(row), ", wanted ",
                   columns, " numbers");
    }
    for (size_t j = 0; j < columns; ++j) {
      if (row[j].is_null() && null_value.has_value()) {
        numbers.push_back(*null_value);
      } else if (row[j].is_number()) {
        numbers.push_back(row[j].get<double>());
      } else {
        return Error(Concat(key, "[", i, "][", j, "]"), "got ", Shown(row[j]), ", wanted a number");
      }
    }
  }
  return numbers;
}

absl::Status JsonFields::RefuseUnknownKeys() const {
  for (const auto& [key, value] : object_.items()) {
    if (known_.contains(key)) continue;
    const std::string meant = Suggestion(key);
    return Error(Quoted(key), "unknown key; ",
                 meant.empty() ? "leave it out" : Concat("did you mean ", Quoted(meant), "?"));
  }
  return absl::OkStatus();
}

// Returns the known key with the smallest edit distance to `key`, or an empty string. The distance
// must be at most kMaxEdits and less than half of the length of `key`.
std::string JsonFields::Suggestion(std::string_view key) const {
  constexpr size_t kMaxEdits = 2;
  size_t limit = std::min(kMaxEdits, (std::max<size_t>(key.size(), 1) - 1) / 2) + 1;
  std::string best;
  for (const std::string& known : known_) {
    const size_t distance = EditDistance(key, known);
    if (distance >= limit) continue;
    limit = distance;
    best = known;
  }
  return best;
}

}  // namespace vrp
