// What the solve jobs' manager drives: the one who understands requests, plans and answers.
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

struct SolveTask {
  std::string request;                       // as it was submitted
  std::string plan;                          // to go on from; empty: none
  absl::Duration searched;                   // by earlier attempts
  absl::Duration since_improvement;          // of `searched`: since `plan` was found
  absl::Duration budget;                     // what is left, 1 ms at least
  std::shared_ptr<const CancelFlag> cancel;  // ends the search, which then answers its best
};

struct FoundPlan {
  Cost cost = 0;
  int64_t routes = 0;
  int64_t unserved = 0;
  std::string text;  // serialised, for SolveTask::plan
};

struct TaskAnswer {
  std::string answer;  // serialised, for whoever asks for it
  FoundPlan plan;
  bool cancelled = false;  // rather than done
};

// Thread-safe.
class JobSolver {
 public:
  virtual ~JobSolver() = default;
  // Blocks for the budget. `on_improvement` is told of each plan that is better than the task's and
  // all before it, by one thread at a time, and must return soon. The answer is never worse than
  // the task's plan.
  virtual absl::StatusOr<TaskAnswer> Solve(
      const SolveTask& task, const std::function<void(FoundPlan)>& on_improvement) = 0;
};

}  // namespace vrp
