// The solver of solve jobs: their texts are messages of the API.
#pragma once

#include <cstdint>
#include <string>

#include "core/jobs/job_solver.h"
#include "server/service/solver_handler.h"

namespace vrp {

// Requests are serialised v1.SolveRequest with a budget, plans v1.Solution (vehicle and nodes
// alone), answers v1.SolveResponse. Thread-safe.
class RequestSolver final : public JobSolver {
 public:
  // `handler` outlives it. A job gets the threads that it asks for, but at most `max_threads`.
  RequestSolver(const SolverHandler& handler, int32_t max_threads)
      : handler_(handler), max_threads_(max_threads) {}

  absl::StatusOr<TaskAnswer> Solve(const SolveTask& task,
                                   const std::function<void(FoundPlan)>& on_improvement) override;

 private:
  struct Ready {
    v1::SolveRequest request;
    SolverHandler::Prepared prepared;
    std::string policy_note;  // where it is not as it was asked for
  };
  // A task that has a plan outlives its model: the search goes on without it.
  absl::StatusOr<Ready> Prepare(const SolveTask& task, v1::SolveRequest request) const;

  const SolverHandler& handler_;
  const int32_t max_threads_;
};

}  // namespace vrp
