// Converts Instance messages into validated instances.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/formats.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_enums.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

// The errors of a message. InstanceFromProto succeeds if `invalid` and `unsupported` are empty.
struct InstanceProblems {
  std::vector<FieldViolation> invalid;      // at most 1,200
  std::vector<FieldViolation> unsupported;  // at most 100
  // Warnings about loads that no vehicle can carry, at most 1,000: `customers[17].demand: 42
  // exceeds vehicle capacity 30`.
  std::vector<FieldViolation> oversize = {};
};
// Finds the errors of a message. `matrices` holds uploaded matrices; if it is null, their names are
// refused.
InstanceProblems FindProblems(const v1::Instance& message, const MatrixSource* matrices = nullptr);

// Returns the instance of a message. Paths in errors are relative to the Instance.
//
// Returns kInvalidArgument with InstanceProblems::invalid, as `customers[17].demand: got -1, wanted
// at least 0`. Returns kUnimplemented with InstanceProblems::unsupported. Refuses road networks,
// which server/roads replaces before.
absl::StatusOr<Instance> InstanceFromProto(const v1::Instance& message,
                                           const MatrixSource* matrices = nullptr);

// Reads a file. The objective and metric of the message, if given, replace those of the file.
//
// Returns kInvalidArgument as `name:line: what, got, wanted` for the field `file.content`, and
// kUnimplemented for a problem type that is not supported. Also returns kInvalidArgument for
// another field (`file.metric: ...`).
absl::StatusOr<Instance> InstanceFromProto(const v1::InstanceFile& message,
                                           const MatrixSource* matrices = nullptr);

// Returns kInvalidArgument naming `field` if `nodes` exceeds `max_nodes`, the daemon's limit.
absl::Status CheckNodes(std::string_view field, int64_t nodes, int64_t max_nodes);

// Returns an error of the core with the field paths of the instance's message: `customers[3].setup:
// ...` becomes `customers[3].setup_time: ...`.
absl::Status WithMessageFields(absl::Status status, int64_t num_nodes);

}  // namespace vrp
