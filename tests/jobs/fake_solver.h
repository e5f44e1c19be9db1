// A solver without a search: its plans are numbers, which go down by one each time that the test
// says so.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/jobs/job_solver.h"

namespace vrp::test {

// Thread-safe. A solve starts at cost 100, or at the cost of the plan that it is given, finds
// Improve()'s plans, and answers when it is cancelled or Done() was called.
class FakeSolver final : public JobSolver {
 public:
  // Its error, or exception, is the solve's.
  std::function<absl::Status(const SolveTask&)> before_solve = {};

  absl::StatusOr<TaskAnswer> Solve(const SolveTask& task,
                                   const std::function<void(FoundPlan)>& on_improvement) override;

  // The next `count` better plans may be found, by whichever solve runs; blocks until they are.
  void Improve(int count = 1);
  // Solves end by themselves from now on.
  void Done();
  // Blocks until so many solves run at once; false after a generous time.
  bool AwaitRunning(int count);
  // So far, in order.
  std::vector<SolveTask> tasks() const;

 private:
  mutable absl::Mutex mutex_;
  int allowed_ ABSL_GUARDED_BY(mutex_) = 0;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<SolveTask> tasks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp::test
