// Statistics of what a user uploaded: instances, a request log or a history of routes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/instance/problem_kind.h"

namespace vrp {

// The content of a dataset.
enum class DatasetKind { kInstances, kRequestLog, kRouteHistory };

struct DatasetSummary {
  DatasetKind kind = DatasetKind::kInstances;
  int64_t days = 0;      // of a request log or a history
  int64_t requests = 0;  // of a request log
  int64_t routes = 0;    // of a history
  int64_t stops = 0;     // of a history: those of all routes
  // The members below describe instances.
  int64_t instances = 0;
  std::vector<ProblemKind> kinds = {};  // the kinds that occur, in the enum's order
  int32_t min_customers = 0;            // number of customers; TSP: of cities
  int32_t max_customers = 0;
  int64_t with_tours = 0;           // instances with ref_routes
  int64_t with_reference_cost = 0;  // instances with ref_cost
  // Number of instances before the first one without ref_routes, or without ref_cost.
  int64_t leading_with_tours = 0;
  int64_t leading_with_reference_cost = 0;
  std::vector<std::string> feature_columns = {};  // columns that every instance has
  // The error of the first instance that an architecture with NodeOrder::kByAngle cannot read:
  // `own.jsonl:3: ...`. Empty if such an architecture can read all instances.
  std::string pointer_refusal = {};

  bool operator==(const DatasetSummary&) const = default;
};

}  // namespace vrp
