#include "server/roads/service_answer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/json.h"
#include "core/base/number.h"
#include "server/roads/road_matrices.h"

namespace vrp {
namespace {

constexpr size_t kMaxShownBytes = 200;
constexpr int32_t kMaxAnswerDepth = 16;
// A route's answer has a few values for each turn.
constexpr int64_t kMaxOtherValues = 2'000'000;
// Tenths of a second or a metre: six years, or five times around the Earth.
constexpr double kMaxRoadValue = 2e9;
// OSRM measures places on the same street by the difference of their offsets, and may state values
// slightly below 0.
constexpr double kMinRoadValue = -50;

std::optional<int32_t> RoadValue(const nlohmann::json& entry, double factor) {
  if (entry.is_null()) return kNoRoad;
  if (!entry.is_number()) return std::nullopt;
  const double value = std::round(entry.get<double>() * factor * kRoadUnits);
  if (!(value >= kMinRoadValue && value <= kMaxRoadValue)) return std::nullopt;
  return static_cast<int32_t>(std::max(value, 0.0));
}

}  // namespace

absl::StatusOr<nlohmann::json> ParseAnswer(std::string_view answer, size_t pairs) {
  JsonLimits limits;
  limits.max_bytes = static_cast<int64_t>(answer.size());
  limits.max_depth = kMaxAnswerDepth;
  limits.max_values = kMaxOtherValues + 4 * static_cast<int64_t>(pairs);
  absl::StatusOr<nlohmann::json> root = ParseJsonText(answer, "answer", limits);
  if (!root.ok()) return WrongAnswer("is not the expected JSON: ", root.status().message());
  return root;
}

const nlohmann::json& MemberOf(const nlohmann::json& object, const char* key) {
  static const auto* const null = new nlohmann::json;
  if (!object.is_object()) return *null;
  const auto found = object.find(key);
  return found == object.end() ? *null : *found;
}

std::string TextOf(const nlohmann::json& object, const char* key) {
  const nlohmann::json& member = MemberOf(object, key);
  if (!member.is_string()) return "";
  return Escaped(member.get_ref<const std::string&>().substr(0, kMaxShownBytes));
}

absl::StatusOr<std::vector<int32_t>> ReadRows(const nlohmann::json& rows_array, const char* key,
                                              size_t rows, size_t columns, double factor) {
  if (!rows_array.is_array() || rows_array.size() != rows) {
    return WrongAnswer("does not have ", rows, " rows of ", key);
  }
  std::vector<int32_t> values;
  values.reserve(rows * columns);
  for (const nlohmann::json& row : rows_array) {
    if (!row.is_array() || row.size() != columns) {
      return WrongAnswer("has a row of ", key, " without ", columns, " numbers");
    }
    for (const nlohmann::json& entry : row) {
      const std::optional<int32_t> value = RoadValue(entry, factor);
      if (!value.has_value()) {
        return WrongAnswer(
            "has ", Quoted(entry.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)),
            " in ", key, ", wanted null or a number from 0 to ",
            FormatNumber(kMaxRoadValue / (factor * kRoadUnits)));
      }
      values.push_back(*value);
    }
  }
  return values;
}

}  // namespace vrp
