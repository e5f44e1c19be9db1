// Solves solve jobs, whose requests, plans and results are stored as messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/jobs/job_solver.h"
#include "server/roads/road_record.h"
#include "server/service/solver_handler.h"

namespace vrp {

// A solver of serialised requests: each is a v1.SolveRequest with a budget. Plans are serialised
// v1.Solution messages with only vehicles and nodes; results are v1.SolveResponse. Thread-safe.
class RequestSolver final : public JobSolver {
 public:
  // `handler` outlives the solver. A job gets the threads that it requests, at most `max_threads`.
  RequestSolver(const SolverHandler& handler, int32_t max_threads)
      : handler_(handler), max_threads_(max_threads) {}

  absl::StatusOr<TaskAnswer> Solve(const SolveTask& task, TaskReporter& reporter) override;

 private:
  struct Ready {
    v1::SolveRequest request;
    SolverHandler::Prepared prepared;
    std::string policy_note;            // set if the solver deviates from the request
    std::shared_ptr<RoadRecord> roads;  // which `prepared` uses
  };
  // Prepares a task. If its model no longer exists, a task with a plan continues by search alone.
  absl::StatusOr<Ready> Prepare(const SolveTask& task, v1::SolveRequest request) const;

  const SolverHandler& handler_;
  const int32_t max_threads_;
};

}  // namespace vrp
