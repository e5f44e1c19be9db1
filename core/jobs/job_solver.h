// The interface through which the solve job manager answers serialised requests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/stop.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// A request to answer, and the state of its earlier attempts.
struct SolveTask {
  std::string request;                       // the request as submitted
  std::string plan;                          // plan to resume from; empty if there is none
  std::vector<std::string> parts;            // stored parts of the result, in order
  absl::Duration search_time;                // total over earlier attempts
  absl::Duration since_improvement;          // part of `search_time` since `plan` was found
  absl::Duration budget;                     // remaining time of a solve job, at least 1 ms
  std::shared_ptr<const CancelFlag> cancel;  // ends the task with its result so far
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
  std::string answer;                  // serialised answer
  std::optional<FoundPlan> plan = {};  // the best plan of a solve job
  bool cancelled = false;              // whether `cancel` ended the task
};

// Stores what a solver finds before its answer. Solvers make one call at a time.
class TaskReporter {
 public:
  virtual ~TaskReporter() = default;
  // Reports a plan that is better than the task's and all earlier ones. Returns quickly.
  virtual void ReportPlan(FoundPlan plan) = 0;
  // Stores the next part of the result. Blocks until the part is on the disk, also while the disk
  // is full. Returns an error if the part cannot be stored or the daemon stops.
  virtual absl::Status ReportPart(std::string part) = 0;
};

// A solver of tasks. Thread-safe.
class JobSolver {
 public:
  virtual ~JobSolver() = default;
  // Answers a task and reports plans or parts. Solve jobs block for at most about the budget; their
  // answer is never worse than the task's plan. Returns kCancelled if `cancel` ended the task
  // before it had a result.
  virtual absl::StatusOr<TaskAnswer> Solve(const SolveTask& task, TaskReporter& reporter) = 0;
};

}  // namespace vrp
