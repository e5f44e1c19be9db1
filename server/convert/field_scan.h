// Finds wrong values in an Instance message by reflection.
#pragma once

#include <vector>

#include "server/convert/field_violation.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

struct FieldScan {
  std::vector<FieldViolation> invalid;      // numbers that are not finite, unknown enum values
  std::vector<FieldViolation> unsupported;  // fields that the server's proto does not have
};

// Scans a message and its submessages. Returns at most 100 violations of each kind, and only the
// first unknown field of each message.
FieldScan ScanInstance(const v1::Instance& message);

}  // namespace vrp
