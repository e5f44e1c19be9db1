// SolverService without gRPC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "core/problem/plan/solution.h"
#include "core/registry/registry.h"
#include "core/solve/decode_batcher.h"
#include "core/solve/solver.h"
#include "server/convert/solve_convert.h"
#include "server/service/call_context.h"
#include "server/support/busy_threads.h"
#include "server/support/forecast.h"
#include "server/support/metrics.h"
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
    DecodeBatcher* batcher = nullptr;        // of networks; outlives the handler
    BusyThreads* busy = nullptr;             // outlives the handler
    // Of one request:
    int32_t max_threads = 1;
    int32_t max_nodes = kMaxNodes;
    absl::Duration max_budget = kMostBudget;
    absl::Duration max_job_budget = kMostBudget;
  };
  explicit SolverHandler(const Options& options) : options_(options) {}

  // Told of each better plan, in a thread of the search, which waits for it.
  using ImprovementFn = std::function<void(const Instance&, const Plan&)>;
  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request,
                                          const CallContext& context,
                                          const ImprovementFn& on_improvement) const;

  // As Solve, but where a network alone gives the plan no thread waits: `answered` is called once,
  // by this thread before it returns or by one of the batcher's. `request` lives until then. Throws
  // nothing.
  using Answered = absl::AnyInvocable<void(absl::StatusOr<v1::SolveResponse>)>;
  void SolveLater(const v1::SolveRequest& request, const CallContext& context,
                  Answered answered) const;

  // What a request will take, and by when it must begin, before anything of it is checked.
  Forecast ForecastOf(const v1::SolveRequest& request, const CallContext& context) const;
  // Of a thread's time from its begin, if nothing else ends it.
  absl::Duration WorkOf(const v1::SolveRequest& request) const;

  // A request that was read and checked: what is left of Solve is to search.
  struct Prepared {
    Instance instance;
    SolveOptions options;
    std::string model;  // the resource name of the policy's; may be empty
    std::optional<v1::InitialSolutionReport> initial;  // what became of the plan to start from
    std::optional<absl::Duration> queue;  // how long it waited for a thread; else until Run
    // As many threads as are idle then, options.threads at most.
    bool idle_threads = false;
  };
  absl::StatusOr<Prepared> Prepare(const v1::SolveRequest& request, const SolveLimits& limits,
                                   const CallContext& context) const;
  absl::StatusOr<v1::SolveResponse> Run(const v1::SolveRequest& request, Prepared prepared) const;
  SolveLimits job_limits() const {
    return {.max_threads = options_.max_threads,
            .max_budget = options_.max_job_budget,
            .default_budget = std::min(kDefaultJobBudget, options_.max_job_budget)};
  }
  // As SolveLater: its request's id, with the answer or the error.
  void SolveOfBatch(const v1::BatchSolveRequest& request, const CallContext& context,
                    absl::AnyInvocable<void(v1::BatchSolveResponse)> answered) const;
  absl::StatusOr<v1::CheckSolutionResponse> Check(const v1::CheckSolutionRequest& request) const;
  absl::StatusOr<v1::ValidateInstanceResponse> Validate(
      const v1::ValidateInstanceRequest& request) const;
  absl::StatusOr<v1::ConvertInstanceResponse> Convert(
      const v1::ConvertInstanceRequest& request) const;

 private:
  absl::StatusOr<Prepared> PrepareNow(const v1::SolveRequest& request, const CallContext& context,
                                      DecodeClass importance) const;
  SolveLimits limits() const;
  void SolveAs(DecodeClass importance, const v1::SolveRequest& request, const CallContext& context,
               Answered answered) const;
  // Counts the threads that a request's solve takes, and states how many in it.
  BusyThreads::Lease TakeThreads(Prepared& prepared) const;
  struct Running;
  absl::StatusOr<v1::SolveResponse> Respond(const Running& running,
                                            const absl::StatusOr<SolveAnswer>& answer) const;

  const Options options_;
};

}  // namespace vrp
