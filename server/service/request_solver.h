// The solver of solve jobs, which stores requests, plans and results as messages.
#pragma once

#include <cstdint>
#include <string>

#include "core/jobs/job_solver.h"
#include "server/service/solver_handler.h"

namespace vrp {

// Solves serialised requests: a v1.SolveRequest with a budget. Plans are serialised v1.Solution
// with vehicles and nodes only, results v1.SolveResponse. Thread-safe.
class RequestSolver final : public JobSolver {
 public:
  // `handler` outlives the solver. A job gets the requested threads, at most `max_threads`.
  RequestSolver(const SolverHandler& handler, int32_t max_threads)
      : handler_(handler), max_threads_(max_threads) {}

  absl::StatusOr<TaskAnswer> Solve(const SolveTask& task,
                                   const std::function<void(FoundPlan)>& on_improvement) override;

 private:
  struct Ready {
    v1::SolveRequest request;
    SolverHandler::Prepared prepared;
    std::string policy_note;  // set if the request is not solved as requested
  };
  // Prepares a task. A task with a plan does not need its model any more.
  absl::StatusOr<Ready> Prepare(const SolveTask& task, v1::SolveRequest request) const;

  const SolverHandler& handler_;
  const int32_t max_threads_;
};

}  // namespace vrp
