#include "server/convert/instance_enums.h"

#include "core/base/text.h"
#include "server/convert/field_violation.h"

namespace vrp {

std::optional<Metric> MetricFromProto(v1::Metric metric) {
  switch (metric) {
    case v1::METRIC_EXACT:
      return Metric::kExact;
    case v1::METRIC_CVRPLIB:
      return Metric::kRounded;
    case v1::METRIC_CEIL:
      return Metric::kCeiled;
    case v1::METRIC_DIMACS:
      return Metric::kDimacs;
    case v1::METRIC_SCALED_1000:
      return Metric::kScaled1000;
    default:
      return std::nullopt;
  }
}

std::optional<Objective> ObjectiveFromProto(v1::Objective objective) {
  switch (objective) {
    case v1::OBJECTIVE_DISTANCE:
      return Objective::kDistance;
    case v1::OBJECTIVE_VEHICLES_THEN_DISTANCE:
      return Objective::kVehiclesThenDistance;
    case v1::OBJECTIVE_DURATION:
      return Objective::kDuration;
    case v1::OBJECTIVE_COST:
      return Objective::kCost;
    default:
      return std::nullopt;
  }
}

std::optional<BalanceMeasure> BalanceMeasureFromProto(v1::BalanceMeasure measure) {
  switch (measure) {
    case v1::BALANCE_MEASURE_DURATION:
      return BalanceMeasure::kDuration;
    case v1::BALANCE_MEASURE_DISTANCE:
      return BalanceMeasure::kDistance;
    case v1::BALANCE_MEASURE_LOAD:
      return BalanceMeasure::kLoad;
    case v1::BALANCE_MEASURE_STOPS:
      return BalanceMeasure::kStops;
    default:
      return std::nullopt;
  }
}

std::optional<RuleKind> RuleKindFromProto(v1::CustomerRuleKind kind) {
  switch (kind) {
    case v1::CUSTOMER_RULE_KIND_SAME_ROUTE:
      return RuleKind::kSameRoute;
    case v1::CUSTOMER_RULE_KIND_DIFFERENT_ROUTES:
      return RuleKind::kDifferentRoutes;
    case v1::CUSTOMER_RULE_KIND_MAX_PER_ROUTE:
      return RuleKind::kMaxPerRoute;
    case v1::CUSTOMER_RULE_KIND_IN_ORDER:
      return RuleKind::kInOrder;
    default:
      return std::nullopt;
  }
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
