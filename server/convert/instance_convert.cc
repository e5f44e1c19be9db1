#include "server/convert/instance_convert.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/instance/instance_override.h"
#include "core/problem/instance/oversize.h"
#include "server/convert/field_scan.h"
#include "server/convert/instance_data.h"

namespace vrp {
namespace {

// "customers[3].further_windows[0].open" -> "customers[3].time_windows[1].open".
std::string FurtherWindowPath(const std::string& path) {
  constexpr std::string_view kName = "].further_windows[";
  const size_t at = path.find(kName);
  if (at == std::string::npos) return path;
  const size_t begin = at + kName.size();
  const size_t end = path.find(']', begin);
  int64_t number = 0;
  if (!absl::SimpleAtoi(path.substr(begin, end - begin), &number)) return path;
  return Concat(path.substr(0, at), "].time_windows[", number + 1, path.substr(end));
}

// Where the core's name of a field of a node, vehicle or shipment stands in the message.
std::string MessagePath(const std::string& path) {
  if (absl::StartsWith(path, "shipments[")) {
    return absl::StrReplaceAll(
        path, {{"].pickup", "].pickup_customer"}, {"].delivery", "].delivery_customer"}});
  }
  const bool customer = absl::StartsWith(path, "customers[");
  std::string result =
      absl::StrReplaceAll(path, {{"].window", customer ? "].time_windows[0]" : "].time_window"},
                                 {"].service", "].service_time"},
                                 {"].setup", "].setup_time"},
                                 {"].release", "].release_time"},
                                 {"].depot", "].start_depot"}});
  if (absl::EndsWith(result, "].x") || absl::EndsWith(result, "].y")) {
    result.insert(result.size() - 1, "location.");
  }
  return FurtherWindowPath(result);
}

// "distance_matrix[2][1]" -> "distance_matrix.values[7]" for 3 nodes.
std::string MatrixFieldPath(const std::string& path, int64_t num_nodes) {
  const size_t begin = path.find("_matrix[") + std::string_view("_matrix").size();
  const std::vector<std::string> parts =
      absl::StrSplit(path.substr(begin), absl::ByAnyChar("[]"), absl::SkipEmpty());
  int64_t row = 0;
  int64_t column = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &row) ||
      !absl::SimpleAtoi(parts[1], &column)) {
    return path;
  }
  return Concat(path.substr(0, begin), ".values[", row * num_nodes + column, "]");
}

// What the core says of all nodes' values at once: that a TSP has none.
bool IsOfAllCustomers(std::string_view field) {
  constexpr std::array<std::string_view, 7> kFields = {
      "demands", "backhauls", "pickups", "setups", "releases", "required_skills", "prizes"};
  return field == "priorities" || std::find(kFields.begin(), kFields.end(), field) != kFields.end();
}

// The core names fields of InstanceData; callers know the message's.
FieldViolation ToMessageField(FieldViolation violation, int64_t num_nodes) {
  std::string& field = violation.field;
  if (field == "num_depots") {
    field = "depots";
  } else if (field == "kind") {
    field = "problem_type";
  } else if (field == "coordinates") {
    field = "coordinate_system";
  } else if (field == "positions") {
    field = "customers";
  } else if (IsOfAllCustomers(field)) {
    violation.description = Concat(field, " ", violation.description);
    field = "customers";
  } else if (absl::StrContains(field, "_matrix[")) {
    field = MatrixFieldPath(field, num_nodes);
  } else {
    field = MessagePath(field);
  }
  return violation;
}

// What the core finds, where the conversion has not found the same field wrong already.
std::vector<FieldViolation> WithCoreErrors(std::vector<FieldViolation> invalid,
                                           const InstanceData& data, int64_t num_nodes) {
  std::unordered_set<std::string> known;
  for (const FieldViolation& violation : invalid) known.insert(violation.field);
  for (const std::string& line : Instance::Validate(data)) {
    FieldViolation violation = ToMessageField(FromLine(line), num_nodes);
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
  InstanceProblems problems;  // without the core's
  InstanceData data;          // complete only where `whole`
  bool whole = false;
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
  result.whole = converted.invalid.empty();
  result.data = std::move(converted.data);
  return result;
}

int64_t NumNodes(const v1::Instance& message) {
  return int64_t{message.depots_size()} + message.customers_size();
}

}  // namespace

InstanceProblems FindProblems(const v1::Instance& message, const MatrixSource* matrices) {
  Conversion conversion = Convert(message, matrices);
  if (conversion.whole) {
    conversion.problems.invalid =
        WithCoreErrors(std::move(conversion.problems.invalid), conversion.data, NumNodes(message));
  }
  // A wrong capacity says nothing about the loads that exceed it.
  if (conversion.whole && !HasWrongCapacity(conversion.problems.invalid)) {
    for (const std::string& line : OversizeLoads(conversion.data)) {
      conversion.problems.oversize.push_back(ToMessageField(FromLine(line), NumNodes(message)));
    }
  }
  return std::move(conversion.problems);
}

absl::Status CheckNodes(std::string_view field, int64_t nodes, int64_t most) {
  if (nodes <= most) return absl::OkStatus();
  return InvalidField(field, Concat("got ", nodes, " nodes, wanted at most ", most,
                                    ", this daemon's limit (max_nodes)"));
}

absl::StatusOr<Instance> InstanceFromProto(const v1::Instance& message,
                                           const MatrixSource* matrices) {
  Conversion conversion = Convert(message, matrices);
  std::vector<FieldViolation>& invalid = conversion.problems.invalid;
  if (invalid.empty() && conversion.problems.unsupported.empty()) {
    // Not a copy: matrices are large. Once more where it was of no use.
    absl::StatusOr<Instance> instance = Instance::Create(std::move(conversion.data));
    if (instance.ok()) return instance;
    conversion.data = DataFromProto(message, matrices).data;
  }
  if (conversion.whole) {
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
                                                 ", which is no value of Objective"));
  }
  if (message.metric() != v1::METRIC_UNSPECIFIED && !wanted.metric.has_value()) {
    return InvalidField("file.metric", Concat("got ", static_cast<int>(message.metric()),
                                              ", which is no value of Metric"));
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
                                                ", which is no value of InstanceFormat"));
  }
  const std::string_view name = message.name().empty() ? std::string_view("file") : message.name();
  absl::StatusOr<Instance> instance = ParseInstance(message.content(), name, format, matrices);
  if (!instance.ok()) return WithField(instance.status(), "file.content");
  VRP_ASSIGN_OR_RETURN(const InstanceOverride wanted, OverrideOf(message));
  absl::StatusOr<Instance> judged = Override(*instance, wanted);
  if (judged.ok()) return judged;
  FieldViolation violation = FromLine(FromAbsl(judged.status().message()));
  violation.field = Concat("file.", violation.field);
  return FieldError(judged.status().code(), {violation});
}

absl::Status WithMessageFields(absl::Status status, int64_t num_nodes) {
  if (!absl::IsInvalidArgument(status) && !absl::IsUnimplemented(status)) return status;
  if (!ViolationsOf(status).empty()) return status;
  std::vector<FieldViolation> violations;
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n', absl::SkipEmpty())) {
    violations.push_back(ToMessageField(FromLine(FromAbsl(line)), num_nodes));
  }
  return violations.empty() ? status : FieldError(status.code(), violations);
}

absl::StatusOr<WrittenFormat> WrittenFormatFromProto(v1::InstanceFormat format) {
  switch (format) {
    case v1::INSTANCE_FORMAT_VRPLIB:
      return WrittenFormat::kVrplib;
    case v1::INSTANCE_FORMAT_TSPLIB:
      return WrittenFormat::kTsplib;
    case v1::INSTANCE_FORMAT_SOLOMON:
      return WrittenFormat::kSolomon;
    case v1::INSTANCE_FORMAT_VROOM:
      return WrittenFormat::kVroom;
    case v1::INSTANCE_FORMAT_JSON:
      return WrittenFormat::kJson;
    default:
      return InvalidField("format", Concat("got ", static_cast<int>(format),
                                           ", wanted INSTANCE_FORMAT_VRPLIB, _TSPLIB, _SOLOMON, "
                                           "_VROOM or _JSON"));
  }
}

v1::ProblemType ToProto(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::kTsp:
      return v1::PROBLEM_TYPE_TSP;
    case ProblemKind::kCvrp:
      return v1::PROBLEM_TYPE_CVRP;
    case ProblemKind::kVrptw:
      return v1::PROBLEM_TYPE_VRPTW;
  }
  return v1::PROBLEM_TYPE_UNSPECIFIED;
}

v1::Metric ToProto(Metric metric) {
  switch (metric) {
    case Metric::kExact:
      return v1::METRIC_EXACT;
    case Metric::kRounded:
      return v1::METRIC_CVRPLIB;
    case Metric::kCeiled:
      return v1::METRIC_CEIL;
    case Metric::kDimacs:
      return v1::METRIC_DIMACS;
    case Metric::kScaled1000:
      return v1::METRIC_SCALED_1000;
  }
  return v1::METRIC_UNSPECIFIED;
}

v1::Objective ToProto(Objective objective) {
  switch (objective) {
    case Objective::kDistance:
      return v1::OBJECTIVE_DISTANCE;
    case Objective::kVehiclesThenDistance:
      return v1::OBJECTIVE_VEHICLES_THEN_DISTANCE;
    case Objective::kDuration:
      return v1::OBJECTIVE_DURATION;
    case Objective::kCost:
      return v1::OBJECTIVE_COST;
  }
  return v1::OBJECTIVE_UNSPECIFIED;
}

absl::StatusOr<ProblemKind> ProblemKindFromProto(v1::ProblemType type) {
  switch (type) {
    case v1::PROBLEM_TYPE_TSP:
      return ProblemKind::kTsp;
    case v1::PROBLEM_TYPE_CVRP:
      return ProblemKind::kCvrp;
    case v1::PROBLEM_TYPE_VRPTW:
      return ProblemKind::kVrptw;
    default:
      return InvalidField("problem_type", Concat("got ", static_cast<int>(type),
                                                 ", wanted PROBLEM_TYPE_TSP, _CVRP or _VRPTW"));
  }
}

}  // namespace vrp
