// Implements the RPCs of SolverService that do not solve, without gRPC.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/problem/instance/matrix_source.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// A handler that checks plans, and validates and converts instances. Thread-safe. See
// solver_service.proto for the errors.
class InstanceHandler {
 public:
  // `matrices` outlives the handler. The handler refuses instances of more than `max_nodes` nodes.
  InstanceHandler(const MatrixSource* matrices, int32_t max_nodes)
      : matrices_(matrices), max_nodes_(max_nodes) {}

  absl::StatusOr<v1::CheckSolutionResponse> Check(const v1::CheckSolutionRequest& request) const;
  absl::StatusOr<v1::ValidateInstanceResponse> Validate(
      const v1::ValidateInstanceRequest& request) const;
  absl::StatusOr<v1::ConvertInstanceResponse> Convert(
      const v1::ConvertInstanceRequest& request) const;

 private:
  const MatrixSource* const matrices_;
  const int32_t max_nodes_;
};

}  // namespace vrp
