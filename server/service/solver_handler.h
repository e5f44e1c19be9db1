// SolverService without gRPC.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/registry/registry.h"
#include "server/service/call_context.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// Thread-safe; every method blocks while it works. Codes and remedies: see solver_service.proto.
class SolverHandler {
 public:
  struct Options {
    Registry* registry = nullptr;  // outlives the handler
    const Clock* clock = nullptr;  // outlives the handler
    int32_t max_threads = 1;       // of one request
  };
  explicit SolverHandler(const Options& options) : options_(options) {}

  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request,
                                          const CallContext& context) const;
  absl::StatusOr<v1::CheckSolutionResponse> Check(const v1::CheckSolutionRequest& request) const;
  absl::StatusOr<v1::ValidateInstanceResponse> Validate(
      const v1::ValidateInstanceRequest& request) const;

 private:
  const Options options_;
};

}  // namespace vrp
