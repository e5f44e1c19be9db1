// The interface through which the solve job manager solves serialised requests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// A request to solve, and the state of its earlier attempts.
struct SolveTask {
  std::string request;                       // the request as submitted
  std::string plan;                          // plan to resume from; empty if there is none
  absl::Duration search_time;                // total over earlier attempts
  absl::Duration since_improvement;          // part of `search_time` since `plan` was found
  absl::Duration budget;                     // remaining time, at least 1 ms
  std::shared_ptr<const CancelFlag> cancel;  // ends the search with its best plan
};

// A plan that a search has found.
struct FoundPlan {
  Cost cost = 0;
  int64_t routes = 0;
  int64_t unserved = 0;  // number of customers
  std::string text;      // serialised plan, for SolveTask::plan
};

// The answer to a task.
struct TaskAnswer {
  std::string answer;  // serialised answer
  FoundPlan plan;
  bool cancelled = false;  // whether `cancel` ended the search
};

// A solver of tasks. Thread-safe.
class JobSolver {
 public:
  virtual ~JobSolver() = default;
  // Solves a task. Blocks for at most about the budget. Calls `on_improvement` for each plan that
  // is better than the task's and all earlier ones, one call at a time. `on_improvement` must
  // return quickly. The answer is never worse than the task's plan.
  virtual absl::StatusOr<TaskAnswer> Solve(
      const SolveTask& task, const std::function<void(FoundPlan)>& on_improvement) = 0;
};

}  // namespace vrp
