// Reads the settings that a card holds of a model that plans no routes, as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace vrp {

// Parses ModelCard::architecture_json. Returns kInvalidArgument that begins with
// `{name}: architecture_json` unless it is a JSON object.
inline absl::StatusOr<nlohmann::json> ParseSettings(std::string_view text, std::string_view name) {
  constexpr JsonLimits kLimits = {
      .max_bytes = 4 << 20, .max_depth = 3, .max_containers = 10, .max_values = 100'000};
  absl::StatusOr<nlohmann::json> json =
      ParseJsonText(text, Concat(name, ": architecture_json"), kLimits);
  if (!json.ok() || json->is_object()) return json;
  return absl::InvalidArgumentError(
      Concat(name, ": architecture_json: got ", json->type_name(), ", wanted a JSON object"));
}

// A reader of the keys of an object that keeps the first error. Not thread-safe.
class SettingsReader {
 public:
  // Both arguments must outlive the reader. `name` begins errors.
  SettingsReader(const nlohmann::json& json, std::string_view name) : json_(json), name_(name) {}

  template <typename Integer>
  void Read(const char* key, int64_t low, int64_t high, Integer& target) {
    const nlohmann::json* value = Find(key);
    const bool fits = value != nullptr && value->is_number_integer() &&
                      !(value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX) &&
                      value->get<int64_t>() >= low && value->get<int64_t>() <= high;
    if (!fits) return Refuse(key, Concat("an integer from ", low, " to ", high));
    target = value->get<Integer>();
  }
  void Read(const char* key, double& target) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr || !value->is_number()) return Refuse(key, "a number");
    target = value->get<double>();
  }
  void Read(const char* key, std::vector<int32_t>& target) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr || !value->is_array()) return Refuse(key, "a list of integers");
    for (const nlohmann::json& item : *value) {
      const bool fits = item.is_number_unsigned() && item.get<uint64_t>() <= INT32_MAX;
      if (!fits) return Refuse(key, "a list of integers");
      target.push_back(item.get<int32_t>());
    }
  }
  void Read(const char* key, std::vector<std::string>& target) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr || !value->is_array()) return Refuse(key, "a list of texts");
    for (const nlohmann::json& item : *value) {
      if (!item.is_string()) return Refuse(key, "a list of texts");
      target.push_back(item.get<std::string>());
    }
  }
  void Read(const char* key, std::string& target) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr || !value->is_string()) return Refuse(key, "a text");
    target = value->get<std::string>();
  }
  bool Has(const char* key) const { return Find(key) != nullptr; }
  void Refuse(const char* key, std::string_view wanted) {
    const nlohmann::json* value = Find(key);
    const std::string got =
        value == nullptr
            ? "nothing"
            : Quoted(value->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    status_.Update(absl::InvalidArgumentError(
        Concat(name_, ": architecture_json.", key, ": got ", got, ", wanted ", wanted)));
  }
  const absl::Status& status() const { return status_; }

 private:
  const nlohmann::json* Find(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }

  const nlohmann::json& json_;
  const std::string_view name_;
  absl::Status status_;
};

}  // namespace vrp
