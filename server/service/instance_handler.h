// Implements the RPCs of SolverService that do not solve, without gRPC.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/problem/instance/matrix_source.h"
#include "server/roads/road_input.h"
#include "server/service/call_context.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// A handler that checks plans, and validates and converts instances. Thread-safe. See
// solver_service.proto for the errors.
class InstanceHandler {
 public:
  // `matrices` and `roads` outlive the handler. The handler refuses instances of more than
  // `max_nodes` nodes.
  InstanceHandler(const MatrixSource* matrices, RoadSource* roads, int32_t max_nodes)
      : matrices_(matrices), roads_(roads), max_nodes_(max_nodes) {}

  absl::StatusOr<v1::CheckSolutionResponse> Check(const v1::CheckSolutionRequest& request,
                                                  const CallContext& context) const;
  absl::StatusOr<v1::ValidateInstanceResponse> Validate(const v1::ValidateInstanceRequest& request,
                                                        const CallContext& context) const;
  absl::StatusOr<v1::ConvertInstanceResponse> Convert(const v1::ConvertInstanceRequest& request,
                                                      const CallContext& context) const;

 private:
  RoadSources SourcesOf(const CallContext& context) const {
    return {.matrices = matrices_, .roads = roads_, .stop = context.stop()};
  }

  const MatrixSource* const matrices_;
  RoadSource* const roads_;
  const int32_t max_nodes_;
};

}  // namespace vrp
