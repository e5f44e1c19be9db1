// Every set field of an Instance message, looked at by reflection: a field that is not known here
// to be supported is refused, so that a field added to the proto cannot be ignored by forgetting
// it.
#pragma once

#include <string_view>
#include <vector>

#include "server/convert/field_violation.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

struct FieldScan {
  std::vector<FieldViolation> invalid;      // not finite, or an enum value that is none
  std::vector<FieldViolation> unsupported;  // fields that are not known here
};

// At most 100 of each.
FieldScan ScanInstance(const v1::Instance& message);

// Whether the field with this full name ("vrp.v1.Customer.demand") is read by InstanceFromProto.
bool IsSupportedField(std::string_view full_name);

}  // namespace vrp
