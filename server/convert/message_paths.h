// Translates field paths of the core into those of the Instance message.
#pragma once

#include <cstdint>

#include "server/convert/field_violation.h"

namespace vrp {

// Returns an error of the core with the path that callers know. For example, `customers[3].setup`
// becomes `customers[3].setup_time`, and `distance_matrix[2][1]` of 3 nodes becomes
// `distance_matrix.values[7]`.
FieldViolation WithMessagePath(FieldViolation violation, int64_t num_nodes);

}  // namespace vrp
