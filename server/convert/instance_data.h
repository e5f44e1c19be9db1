// Converts the fields of an Instance message for InstanceFromProto.
#pragma once

#include <vector>

#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "server/convert/field_violation.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

struct DataConversion {
  InstanceData data;                    // not validated; incomplete if `invalid` is not empty
  std::vector<FieldViolation> invalid;  // values that InstanceData cannot express
};

// Converts a message. Takes memory in proportion to the message and the matrices that it names.
// `matrices` holds uploaded matrices; if it is null, their names are refused.
DataConversion DataFromProto(const v1::Instance& message, const MatrixSource* matrices);

}  // namespace vrp
