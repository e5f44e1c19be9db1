// What the readers share.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// kInvalidArgument for a text beyond kMaxFileBytes.
absl::Status CheckTextSize(std::string_view text, std::string_view name);

// Instance::Create with all errors of the data, a line each, `source: ` before it. An instance
// without a name gets the file's, without folder and extension.
absl::StatusOr<Instance> FinishInstance(InstanceData data, std::string_view source);

}  // namespace vrp
