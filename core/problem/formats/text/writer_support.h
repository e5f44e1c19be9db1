// Helpers shared by the writers of instances.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Name that replaces the file's name when a writer reads its own text back.
inline constexpr std::string_view kWrittenName = "written";

// Returns kUnimplemented with a message such as `customers[3].prize: 5, which Solomon's format
// cannot express`.
absl::Status CannotExpress(std::string_view field, std::string_view format);

// Returns kUnimplemented with the reader's error if the written text could not be read back. This
// covers limits of the reader that the writer does not check.
absl::Status CheckReadBack(const absl::StatusOr<Instance>& reread, std::string_view format);

}  // namespace vrp
