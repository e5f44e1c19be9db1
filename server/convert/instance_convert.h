// Instance messages into validated instances.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/matrices.h"
#include "core/problem/instance/instance.h"
#include "server/convert/field_violation.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

// All that is wrong with a message; without `invalid` and `unsupported` InstanceFromProto succeeds.
struct InstanceProblems {
  std::vector<FieldViolation> invalid;
  std::vector<FieldViolation> unsupported;
  // `customers[17].demand: 42 exceeds vehicle capacity 30`: of customers whom plans leave out.
  std::vector<FieldViolation> oversize = {};
};
// `matrices`: where the instance's named matrices are kept; null: such names are refused.
InstanceProblems FindProblems(const v1::Instance& message, const MatrixSource* matrices = nullptr);

// kInvalidArgument with every wrong field as `customers[17].demand: got -1, wanted at least 0`;
// kUnimplemented with every field that is set and not known here. Paths begin in the Instance.
absl::StatusOr<Instance> InstanceFromProto(const v1::Instance& message,
                                           const MatrixSource* matrices = nullptr);

// Reads a file, judged by its `objective` and `metric` where they are given. kInvalidArgument:
// `name:line: what, got, wanted`, with the field `file.content`; or `file.metric: ...`.
absl::StatusOr<Instance> InstanceFromProto(const v1::InstanceFile& message,
                                           const MatrixSource* matrices = nullptr);

// kInvalidArgument with that field: more than `most`, the daemon's limit.
absl::Status CheckNodes(std::string_view field, int64_t nodes, int64_t most);

// An error of the core about an instance that came as a message, with the message's field paths:
// `customers[3].setup: ...` becomes `customers[3].setup_time: ...`.
absl::Status WithMessageFields(absl::Status status, int64_t num_nodes);

v1::ProblemType ToProto(ProblemKind kind);
v1::Metric ToProto(Metric metric);
v1::Objective ToProto(Objective objective);
// kInvalidArgument names `format`.
absl::StatusOr<WrittenFormat> WrittenFormatFromProto(v1::InstanceFormat format);
// kInvalidArgument names `problem_type`.
absl::StatusOr<ProblemKind> ProblemKindFromProto(v1::ProblemType type);

}  // namespace vrp
