// Helpers shared by the readers of instances.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Returns kInvalidArgument for a text of more than kMaxFileBytes.
absl::Status CheckTextSize(std::string_view text, std::string_view name);

// Creates an instance. Returns kInvalidArgument for invalid data, with one line for each error and
// for each load that no vehicle can carry. Each line begins with `source: `. An instance without a
// name gets the file's name, without folder and extension.
absl::StatusOr<Instance> FinishInstance(InstanceData data, std::string_view source);

}  // namespace vrp
