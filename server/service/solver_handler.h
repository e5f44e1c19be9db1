// SolverService without gRPC.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/problem/instance.h"
#include "core/problem/matrices.h"
#include "core/problem/solution.h"
#include "core/registry/registry.h"
#include "server/service/call_context.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// Thread-safe; every method blocks while it works. Codes and remedies: see solver_service.proto.
class SolverHandler {
 public:
  struct Options {
    Registry* registry = nullptr;            // outlives the handler
    const MatrixSource* matrices = nullptr;  // outlives the handler
    const Clock* clock = nullptr;            // outlives the handler
    int32_t max_threads = 1;                 // of one request
  };
  explicit SolverHandler(const Options& options) : options_(options) {}

  // Told of each better plan, in a thread of the search, which waits for it.
  using ImprovementFn = std::function<void(const Instance&, const Plan&)>;
  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request,
                                          const CallContext& context,
                                          const ImprovementFn& on_improvement = nullptr) const;
  // Its request's id, with the answer or the error.
  v1::BatchSolveResponse SolveOfBatch(const v1::BatchSolveRequest& request,
                                      const CallContext& context) const;
  absl::StatusOr<v1::CheckSolutionResponse> Check(const v1::CheckSolutionRequest& request) const;
  absl::StatusOr<v1::ValidateInstanceResponse> Validate(
      const v1::ValidateInstanceRequest& request) const;
  absl::StatusOr<v1::ConvertInstanceResponse> Convert(
      const v1::ConvertInstanceRequest& request) const;

 private:
  const Options options_;
};

}  // namespace vrp
