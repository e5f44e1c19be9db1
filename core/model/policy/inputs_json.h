// A network's inputs beside its sizes, as model cards give them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace vrp {

inline constexpr char kInputsKey[] = "inputs";

// Whether `sizes` has so many keys, or one more: its inputs.
inline bool HasKeys(const nlohmann::json& sizes, size_t count) {
  return sizes.is_object() && sizes.size() == count + sizes.count(kInputsKey);
}

// The inputs that `sizes` has; none: the usual ones. kInvalidArgument: `inputs: ...`.
absl::StatusOr<std::vector<std::string>> ReadInputs(const nlohmann::json& sizes,
                                                    std::string_view architecture);

}  // namespace vrp
