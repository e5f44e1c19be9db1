// Reads the fields of a JSON object: each by name, with its type, and none left over.
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

// Errors are kInvalidArgument: `place: key: got ..., wanted ...`, where place is "file.json", or
// `place.key: ...`, where it is "file.json: vehicles[2]". `object` must be a JSON object and
// outlive this. Absent keys give nullopt (null counts as a value of the wrong type).
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string_view place);

  // The value of `key`, which counts as known from now on; nullptr when absent.
  const nlohmann::json* Find(const std::string& key);

  absl::StatusOr<std::optional<std::string>> String(const std::string& key);
  absl::StatusOr<std::optional<double>> Number(const std::string& key);
  absl::StatusOr<std::optional<bool>> Boolean(const std::string& key);
  absl::StatusOr<std::optional<int32_t>> Integer(const std::string& key);  // from 0 to 2^31 - 1
  absl::StatusOr<std::vector<std::string>> Strings(const std::string& key);
  absl::StatusOr<std::vector<double>> Numbers(const std::string& key,
                                              std::optional<double> null_value = std::nullopt);
  absl::StatusOr<std::vector<int32_t>> Integers(const std::string& key);  // from 0 to 2^31 - 1
  // An array of arrays.
  absl::StatusOr<std::vector<std::vector<std::string>>> StringLists(const std::string& key);
  absl::StatusOr<std::vector<std::vector<int32_t>>> IntegerLists(const std::string& key);
  // An array of arrays of `columns` numbers each, one after the other; columns 0: as many as there
  // are rows. `null` stands for `null_value` where that is given.
  absl::StatusOr<std::vector<double>> Rows(const std::string& key, size_t columns,
                                           std::optional<double> null_value = std::nullopt);

  // How many entries an array's entries have: 1 where they are numbers. 0: absent or empty.
  absl::StatusOr<size_t> Columns(const std::string& key);
  // Numbers where `columns` is 1, else Rows.
  absl::StatusOr<std::vector<double>> Table(const std::string& key, size_t columns);

  // An error for the first key that was never asked for, with the most similar one that was.
  absl::Status RefuseOthers() const;

  template <typename... Parts>
  absl::Status Error(std::string_view path, const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(place_, path, ": ", parts...));
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
  std::string place_;  // ends with the separator that a key follows
  std::set<std::string> known_;
};

// How an error shows a JSON value: short ones in full, others by their type.
std::string Shown(const nlohmann::json& value);

}  // namespace vrp
