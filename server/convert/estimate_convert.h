// Converts requests of EstimateService.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "vrp/v1/estimate_service.pb.h"

namespace vrp {

// Largest number of estimates of one request.
inline constexpr int64_t kMaxEstimates = 100'000;

// Returns kInvalidArgument, and names the field, unless there are inputs and not too many
// estimates.
absl::Status CheckEstimateCounts(const v1::EstimateCostsRequest& request);

// Returns the instances, which Subproblem::CheckInstance accepts. `matrices` may be null. Errors
// name the field.
absl::StatusOr<std::vector<Instance>> InstancesToEstimate(const v1::EstimateCostsRequest& request,
                                                          const MatrixSource* matrices,
                                                          int32_t max_nodes);

// Returns the customers of each subset. Returns kInvalidArgument that names an unknown one.
absl::StatusOr<std::vector<std::vector<NodeIndex>>> SubsetsFromProto(
    const v1::EstimateCostsRequest& request, const Instance& instance);

// Returns an error of the core about an instance, with the fields of its message. `where` is the
// input's field.
absl::Status EstimateInputError(const v1::EstimateInput& input, std::string_view where,
                                const Instance& instance, const absl::Status& status);

}  // namespace vrp
