// Helpers to read JSON answers of services.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/text.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Parses an answer of `pairs` matrix entries, within limits of depth and number of values. Returns
// kFailedPrecondition for other text.
absl::StatusOr<nlohmann::json> ParseAnswer(std::string_view answer, size_t pairs);

// Returns the member `key`, or a null value if `object` is not an object or lacks the member.
const nlohmann::json& MemberOf(const nlohmann::json& object, const char* key);
// Returns the first 200 bytes of the string `key`, escaped for messages; empty if the member is not
// a string.
std::string TextOf(const nlohmann::json& object, const char* key);

// Reads an array of `rows` arrays of `columns` numbers, of which null becomes kNoRoad, multiplied
// by `factor` and rounded to the units of RoadMatrices. `key` names the array in errors, which are
// kFailedPrecondition.
absl::StatusOr<std::vector<int32_t>> ReadRows(const nlohmann::json& rows_array, const char* key,
                                              size_t rows, size_t columns, double factor);

// Returns kFailedPrecondition whose message is "its answer " and `parts`.
template <typename... Parts>
absl::Status WrongAnswer(const Parts&... parts) {
  return absl::FailedPreconditionError(Concat("its answer ", parts...));
}

}  // namespace vrp
