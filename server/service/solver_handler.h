// Implements the RPCs of SolverService that solve, without gRPC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
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
#include "server/roads/road_input.h"
#include "server/service/call_context.h"
#include "server/service/habit_models.h"
#include "server/service/instance_handler.h"
#include "server/service/uploaded_histories.h"
#include "server/support/busy_threads.h"
#include "server/support/forecast.h"
#include "server/support/metrics.h"
#include "server/telemetry/watchdog.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// A handler that solves requests. Thread-safe. Methods block while they work, but SolveLater and
// SolveBatchItem do not wait for a network. See solver_service.proto for the errors.
class SolverHandler {
 public:
  struct Options {
    Registry* registry = nullptr;            // outlives the handler
    const MatrixSource* matrices = nullptr;  // outlives the handler
    RoadSource* roads = nullptr;             // outlives the handler
    UploadedHistories* histories = nullptr;  // outlives the handler
    const Clock* clock = nullptr;            // outlives the handler
    Metrics* metrics = nullptr;              // outlives the handler
    Watchdog* watchdog = nullptr;            // outlives the handler
    DecodeBatcher* batcher = nullptr;        // runs networks; outlives the handler
    BusyThreads* busy = nullptr;             // outlives the handler
    // The limits below apply to one request.
    int32_t max_threads = 1;
    int32_t max_nodes = kMaxNodes;
    absl::Duration max_budget = kMaxBudget;
    absl::Duration max_job_budget = kMaxBudget;
  };
  explicit SolverHandler(const Options& options)
      : options_(options), instances_(options.matrices, options.roads, options.max_nodes) {}

  // Called for every improvement, from a search thread, which waits for the call.
  using ImprovementFn = std::function<void(const Instance&, const Plan&)>;
  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request,
                                          const CallContext& context,
                                          const ImprovementFn& on_improvement) const;

  // Solves like Solve, but blocks no thread while a network decodes. Calls `on_answer` once, before
  // returning or on another thread (see DecodeBatcher::Submit). `request` lives until then. Does
  // not throw.
  using AnswerFn = absl::AnyInvocable<void(absl::StatusOr<v1::SolveResponse>)>;
  void SolveLater(const v1::SolveRequest& request, const CallContext& context,
                  AnswerFn on_answer) const;

  // Estimates the duration of a request and its latest start, before the handler checks the
  // request.
  Forecast ForecastOf(const v1::SolveRequest& request, const CallContext& context) const;
  // Estimates how long a request will occupy a thread.
  absl::Duration ExpectedWork(const v1::SolveRequest& request) const;

  // A request that has been read and checked and is ready to solve.
  struct Prepared {
    Instance instance;
    SolveOptions options;
    std::string model;  // resource name of the policy or the habit model; may be empty
    std::optional<v1::InitialSolutionReport> initial_report;  // on the initial plan
    std::optional<v1::SimilarDayReport> similar_day = {};     // on the past day of that plan
    std::optional<absl::Duration> queue;  // time in the queue; if absent, the solver measures it
    // Whether to use all idle threads, at most options.threads.
    bool idle_threads = false;
    RoadUse roads = {};
    RoadSources sources = {};       // sources of the instance's matrices and the routes' streets
    absl::Duration road_time = {};  // time to get the matrices of road networks
  };
  absl::StatusOr<Prepared> Prepare(const v1::SolveRequest& request, const SolveLimits& limits,
                                   const CallContext& context) const;
  absl::StatusOr<v1::SolveResponse> Run(const v1::SolveRequest& request, Prepared prepared) const;
  SolveLimits job_limits() const {
    return {.max_threads = options_.max_threads,
            .max_budget = options_.max_job_budget,
            .default_budget = std::min(kDefaultJobBudget, options_.max_job_budget)};
  }
  // Solves a request of BatchSolve like SolveLater. The response holds the id and the result or
  // error.
  void SolveBatchItem(const v1::BatchSolveRequest& request, const CallContext& context,
                      absl::AnyInvocable<void(v1::BatchSolveResponse)> on_answer) const;

  const InstanceHandler& instances() const { return instances_; }
  RoadSource& roads() const { return *options_.roads; }
  // Gets the matrices of a request's road networks through `roads`, so that a record has them.
  absl::Status LoadRoads(const v1::SolveRequest& request, RoadSource& roads,
                         const StopCondition& stop) const;

 private:
  // The models of a request. At most one of `policy` and `habits` is set.
  struct Models {
    std::shared_ptr<Policy> policy;
    std::shared_ptr<const LoadedHabits> habits;
    std::string name;  // resource name with the version; empty without a model
  };
  // The plan to start from, and the past day from which it comes.
  struct Start {
    std::optional<InitialSolution> initial;
    std::optional<v1::SimilarDayReport> similar_day;
  };
  // Returns the given plan, or that of the most similar past day. Drops more visits after `stop`.
  absl::StatusOr<Start> StartOf(const v1::SolveRequest& request, const Instance& instance,
                                const StopCondition& stop) const;
  absl::StatusOr<Models> UseModel(const v1::SolveRequest& request, Strategy strategy) const;
  absl::StatusOr<Prepared> PrepareCall(const v1::SolveRequest& request, const CallContext& context,
                                       DecodeClass importance) const;
  SolveLimits limits() const;
  void SolveAs(DecodeClass importance, const v1::SolveRequest& request, const CallContext& context,
               AnswerFn on_answer) const;
  // Takes the threads of a solve from `busy` and sets their number in `prepared`.
  BusyThreads::Lease TakeThreads(Prepared& prepared) const;
  struct Running;
  absl::StatusOr<v1::SolveResponse> Respond(const Running& running,
                                            const absl::StatusOr<SolveAnswer>& answer) const;

  const Options options_;
  const InstanceHandler instances_;
  const std::unique_ptr<HabitModels> habits_ = std::make_unique<HabitModels>();
};

}  // namespace vrp
