// The fields of an Instance message as the core's raw data. Part of InstanceFromProto.
#pragma once

#include <optional>
#include <vector>

#include "core/problem/formats/matrices.h"
#include "core/problem/instance/instance.h"
#include "server/convert/field_violation.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

struct DataConversion {
  InstanceData data;  // to be validated by Instance::Create
  std::vector<FieldViolation>
      invalid;  // what InstanceData cannot express; then `data` is incomplete
};

// Returns nullopt where none is given; a number that is no value is the caller's to refuse.
std::optional<Metric> MetricFromProto(v1::Metric metric);
std::optional<Objective> ObjectiveFromProto(v1::Objective objective);

// Memory is bounded by the message's own size, and by that of the matrices that it names.
DataConversion DataFromProto(const v1::Instance& message, const MatrixSource* matrices);

}  // namespace vrp
