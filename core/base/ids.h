// Creates random resource ids, as in `trainingJobs/k3v9q2m7x4t8w5n6`, and checks ids that users
// choose.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace vrp {

// Returns 16 letters and digits, the first one a letter (79 random bits from the CPU or the
// kernel). Leaves out i, l, o and u, which are easily misread. Thread-safe.
std::string NewId();

// Checks an id that a user has chosen. It must have 1 to 63 characters of a-z, 0-9, `-`, `_`, `.`,
// the first one a letter or digit. Such an id is a safe file name. Returns kInvalidArgument with
// "`field`: got ..., wanted ...".
absl::Status ValidateId(std::string_view field, std::string_view id);

}  // namespace vrp
