// Instance messages into validated instances.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats.h"
#include "core/problem/instance.h"
#include "server/convert/field_violation.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

// All that is wrong with a message; both empty: InstanceFromProto succeeds.
struct InstanceProblems {
  std::vector<FieldViolation> invalid;
  std::vector<FieldViolation> unsupported;
};
InstanceProblems FindProblems(const v1::Instance& message);

// kInvalidArgument with every wrong field as `customers[17].demand: 42 exceeds vehicle capacity
// 30`; kUnimplemented with every field that is set and not known here. Paths begin in the Instance.
absl::StatusOr<Instance> InstanceFromProto(const v1::Instance& message);

// kInvalidArgument: `name:line: what, got, wanted`, with the field `file`.
absl::StatusOr<Instance> InstanceFromProto(const v1::InstanceFile& message);

v1::ProblemType ToProto(ProblemKind kind);
v1::Metric ToProto(Metric metric);
v1::Objective ToProto(Objective objective);
// kInvalidArgument names `problem_type`.
absl::StatusOr<ProblemKind> ProblemKindFromProto(v1::ProblemType type);

}  // namespace vrp
