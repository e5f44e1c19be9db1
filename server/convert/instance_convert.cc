#include "server/convert/instance_convert.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/instance/instance_override.h"
#include "core/problem/instance/oversize.h"
#include "server/convert/field_scan.h"
#include "server/convert/instance_data.h"
#include "server/convert/message_paths.h"

namespace vrp {
namespace {

// Adds the errors that the core finds in fields that the conversion accepted.
std::vector<FieldViolation> WithCoreErrors(std::vector<FieldViolation> invalid,
                                           const InstanceData& data, int64_t num_nodes) {
  std::unordered_set<std::string> known;
  for (const FieldViolation& violation : invalid) known.insert(violation.field);
  for (const std::string& line : Instance::Validate(data)) {
    FieldViolation violation = WithMessagePath(FromLine(line), num_nodes);
    if (known.count(violation.field) == 0) invalid.push_back(std::move(violation));
  }
  return invalid;
}

bool HasWrongCapacity(const std::vector<FieldViolation>& invalid) {
  return std::any_of(invalid.begin(), invalid.end(), [](const FieldViolation& violation) {
    return absl::StrContains(violation.field, "].capacity");
  });
}

struct Conversion {
  InstanceProblems problems;  // found by the conversion, not by the core
  InstanceData data;
  bool complete = false;  // whether `data` is complete
};

Conversion Convert(const v1::Instance& message, const MatrixSource* matrices) {
  Conversion result;
  FieldScan scan = ScanInstance(message);
  DataConversion converted = DataFromProto(message, matrices);
  result.problems.invalid = std::move(scan.invalid);
  result.problems.unsupported = std::move(scan.unsupported);
  for (FieldViolation& violation : converted.invalid) {
    result.problems.invalid.push_back(std::move(violation));
  }
  result.complete = converted.invalid.empty();
  result.data = std::move(converted.data);
  return result;
}

int64_t NumNodes(const v1::Instance& message) {
  return int64_t{message.depots_size()} + message.customers_size();
}

}  // namespace

InstanceProblems FindProblems(const v1::Instance& message, const MatrixSource* matrices) {
  Conversion conversion = Convert(message, matrices);
  if (conversion.complete) {
    conversion.problems.invalid =
        WithCoreErrors(std::move(conversion.problems.invalid), conversion.data, NumNodes(message));
  }
  // Loads cannot be compared with a wrong capacity.
  if (conversion.complete && !HasWrongCapacity(conversion.problems.invalid)) {
    for (const std::string& line : OversizeLoads(conversion.data)) {
      conversion.problems.oversize.push_back(WithMessagePath(FromLine(line), NumNodes(message)));
    }
  }
  return std::move(conversion.problems);
}

absl::Status CheckNodes(std::string_view field, int64_t nodes, int64_t max_nodes) {
  if (nodes <= max_nodes) return absl::OkStatus();
  return InvalidField(field, Concat("got ", nodes, " nodes, wanted at most ", max_nodes,
                                    ", this daemon's limit (max_nodes)"));
}

absl::StatusOr<Instance> InstanceFromProto(const v1::Instance& message,
                                           const MatrixSource* matrices) {
  Conversion conversion = Convert(message, matrices);
  std::vector<FieldViolation>& invalid = conversion.problems.invalid;
  if (invalid.empty() && conversion.problems.unsupported.empty()) {
    // Matrices are large, so the data is moved, and converted again after an error.
    absl::StatusOr<Instance> instance = Instance::Create(std::move(conversion.data));
    if (instance.ok()) return instance;
    conversion.data = DataFromProto(message, matrices).data;
  }
  if (conversion.complete) {
    invalid = WithCoreErrors(std::move(invalid), conversion.data, NumNodes(message));
  }
  if (!invalid.empty()) return FieldError(absl::StatusCode::kInvalidArgument, invalid);
  return FieldError(absl::StatusCode::kUnimplemented, conversion.problems.unsupported);
}

namespace {

absl::StatusOr<InstanceOverride> OverrideOf(const v1::InstanceFile& message) {
  const InstanceOverride wanted{.objective = ObjectiveFromProto(message.objective()),
                                .metric = MetricFromProto(message.metric())};
  if (message.objective() != v1::OBJECTIVE_UNSPECIFIED && !wanted.objective.has_value()) {
    return InvalidField("file.objective", Concat("got ", static_cast<int>(message.objective()),
                                                 ", which is not a value of Objective"));
  }
  if (message.metric() != v1::METRIC_UNSPECIFIED && !wanted.metric.has_value()) {
    return InvalidField("file.metric", Concat("got ", static_cast<int>(message.metric()),
                                              ", which is not a value of Metric"));
  }
  return wanted;
}

}  // namespace

absl::StatusOr<Instance> InstanceFromProto(const v1::InstanceFile& message,
                                           const MatrixSource* matrices) {
  if (message.name().size() > kMaxInstanceNameBytes) {
    return InvalidField("file.name", Concat("has ", message.name().size(),
                                            " bytes, wanted at most ", kMaxInstanceNameBytes));
  }
  if (!message.road_network().empty()) {
    return InvalidField("file.road_network",
                        Concat("got ", Quoted(message.road_network()),
                               ", which is not supported here; wanted the matrices themselves"));
  }
  InstanceFormat format = InstanceFormat::kAuto;
  switch (message.format()) {
    case v1::INSTANCE_FORMAT_UNSPECIFIED:
      break;
    case v1::INSTANCE_FORMAT_VRPLIB:
    case v1::INSTANCE_FORMAT_TSPLIB:
      format = InstanceFormat::kVrplib;
      break;
    case v1::INSTANCE_FORMAT_SOLOMON:
      format = InstanceFormat::kSolomon;
      break;
    case v1::INSTANCE_FORMAT_JSON:
    case v1::INSTANCE_FORMAT_VROOM:
      format = InstanceFormat::kJson;
      break;
    default:
      return InvalidField("file.format", Concat("got ", static_cast<int>(message.format()),
                                                ", which is not a value of InstanceFormat"));
  }
  const std::string_view name = message.name().empty() ? std::string_view("file") : message.name();
  absl::StatusOr<Instance> instance = ParseInstance(message.content(), name, format, matrices);
  if (!instance.ok()) return WithField(instance.status(), "file.content");
  VRP_ASSIGN_OR_RETURN(const InstanceOverride wanted, OverrideOf(message));
  absl::StatusOr<Instance> overridden = Override(*instance, wanted);
  if (overridden.ok()) return overridden;
  FieldViolation violation = FromLine(FromAbsl(overridden.status().message()));
  violation.field = Concat("file.", violation.field);
  return FieldError(overridden.status().code(), {violation});
}

absl::Status WithMessageFields(absl::Status status, int64_t num_nodes) {
  if (!absl::IsInvalidArgument(status) && !absl::IsUnimplemented(status)) return status;
  if (!ViolationsOf(status).empty()) return status;
  std::vector<FieldViolation> violations;
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n', absl::SkipEmpty())) {
    violations.push_back(WithMessagePath(FromLine(FromAbsl(line)), num_nodes));
  }
  return violations.empty() ? status : FieldError(status.code(), violations);
}

}  // namespace vrp
