// Converts the enums of instances.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/instance/instance.h"
#include "vrp/v1/instance.pb.h"

namespace vrp {

v1::ProblemType ToProto(ProblemKind kind);
v1::Metric ToProto(Metric metric);
v1::Objective ToProto(Objective objective);

// Converts an enum. Returns nullopt for an unspecified or unknown value.
std::optional<Metric> MetricFromProto(v1::Metric metric);
std::optional<Objective> ObjectiveFromProto(v1::Objective objective);
std::optional<BalanceMeasure> BalanceMeasureFromProto(v1::BalanceMeasure measure);
std::optional<RuleKind> RuleKindFromProto(v1::CustomerRuleKind kind);
// Converts an enum. Returns kInvalidArgument naming `format` or `problem_type` for an unspecified
// or unknown value.
absl::StatusOr<WrittenFormat> WrittenFormatFromProto(v1::InstanceFormat format);
absl::StatusOr<ProblemKind> ProblemKindFromProto(v1::ProblemType type);

}  // namespace vrp
