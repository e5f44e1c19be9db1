// Reads the members of a JSON object by key and type, and finds unknown keys.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/text.h"
#include "nlohmann/json.hpp"

namespace vrp {

// The members of one JSON object, which must outlive them. Absent keys give nullopt or an empty
// vector; null is a value of the wrong type. Errors are kInvalidArgument and begin with `location`:
// `file.json: key: got ..., wanted ...` or `file.json: vehicles[2].key: got ..., wanted ...`.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string_view location);

  // Returns the value of `key`, or nullptr if it is absent. `key` becomes a known key.
  const nlohmann::json* Find(const std::string& key);

  absl::StatusOr<std::optional<std::string>> String(const std::string& key);
  absl::StatusOr<std::optional<double>> Number(const std::string& key);
  absl::StatusOr<std::optional<bool>> Boolean(const std::string& key);
  // Returns an integer from 0 to 2^31 - 1.
  absl::StatusOr<std::optional<int32_t>> Integer(const std::string& key);
  absl::StatusOr<std::vector<std::string>> Strings(const std::string& key);
  // Returns an array of numbers. `null` becomes `null_value` if that is given.
  absl::StatusOr<std::vector<double>> Numbers(const std::string& key,
                                              std::optional<double> null_value = std::nullopt);
  absl::StatusOr<std::vector<int32_t>> Integers(const std::string& key);  // each from 0 to 2^31 - 1
  // Returns an array of arrays.
  absl::StatusOr<std::vector<std::vector<std::string>>> StringLists(const std::string& key);
  absl::StatusOr<std::vector<std::vector<int32_t>>> IntegerLists(const std::string& key);
  // Returns the numbers of an array of arrays, row by row. Each row has `columns` numbers; 0 means
  // as many columns as rows. `null` becomes `null_value` if that is given.
  absl::StatusOr<std::vector<double>> Rows(const std::string& key, size_t columns,
                                           std::optional<double> null_value = std::nullopt);

  // Returns the size of an array's first entry: 1 for a number; 0 if the array is absent or empty.
  absl::StatusOr<size_t> Columns(const std::string& key);
  // Returns Numbers if `columns` is 1, else Rows.
  absl::StatusOr<std::vector<double>> Table(const std::string& key, size_t columns);

  // Returns an error for the first key that no other call has read. The error names the most
  // similar known key, if one is similar enough.
  absl::Status RefuseUnknownKeys() const;

  template <typename... Parts>
  absl::Status Error(std::string_view path, const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(prefix_, path, ": ", parts...));
  }

 private:
  std::string Suggestion(std::string_view key) const;
  absl::StatusOr<std::vector<std::string>> StringsAt(const nlohmann::json& value,
                                                     const std::string& path) const;
  absl::StatusOr<std::vector<int32_t>> IntegersAt(const nlohmann::json& value,
                                                  const std::string& path) const;
  absl::StatusOr<int32_t> IntegerAt(const nlohmann::json& value, std::string_view path) const;
  absl::StatusOr<double> NumberAt(const nlohmann::json& value, std::string_view path) const;
  absl::StatusOr<const nlohmann::json*> ArrayAt(const std::string& key);

  const nlohmann::json& object_;
  std::string prefix_;  // with the separator that precedes a key
  std::set<std::string> known_;
};

// Returns a JSON value as errors show it: objects and arrays by their type, strings as by Quoted,
// all others in full.
std::string Shown(const nlohmann::json& value);

}  // namespace vrp
