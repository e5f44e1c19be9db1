// SolverService without gRPC.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/problem/instance.h"
#include "core/problem/matrices.h"
#include "core/problem/solution.h"
#include "core/registry/registry.h"
#include "core/solve/solver.h"
#include "server/convert/solve_convert.h"
#include "server/service/call_context.h"
#include "server/telemetry/metrics.h"
#include "server/telemetry/watchdog.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// Thread-safe; every method blocks while it works. Codes and remedies: see solver_service.proto.
class SolverHandler {
 public:
  struct Options {
    Registry* registry = nullptr;            // outlives the handler
    const MatrixSource* matrices = nullptr;  // outlives the handler
    const Clock* clock = nullptr;            // outlives the handler
    Metrics* metrics = nullptr;              // outlives the handler
    Watchdog* watchdog = nullptr;            // outlives the handler
    // Of one request:
    int32_t max_threads = 1;
    int32_t max_nodes = kMaxNodes;
    absl::Duration max_budget = absl::Hours(1);
    absl::Duration max_job_budget = absl::Hours(24);
  };
  explicit SolverHandler(const Options& options) : options_(options) {}

  // Told of each better plan, in a thread of the search, which waits for it.
  using ImprovementFn = std::function<void(const Instance&, const Plan&)>;
  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request,
                                          const CallContext& context,
                                          const ImprovementFn& on_improvement = nullptr) const;

  // A request that was read and checked: what is left of Solve is to search.
  struct Prepared {
    Instance instance;
    SolveOptions options;
    std::string model;  // the resource name of the policy's; may be empty
    std::optional<v1::InitialSolutionReport> initial;  // what became of the plan to start from
  };
  absl::StatusOr<Prepared> Prepare(const v1::SolveRequest& request, const SolveLimits& limits,
                                   const CallContext& context) const;
  absl::StatusOr<v1::SolveResponse> Run(const v1::SolveRequest& request,
                                        const Prepared& prepared) const;
  SolveLimits job_limits() const {
    return JobSolveLimits(options_.max_threads, options_.max_job_budget);
  }
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
