// A solver without a search. Its plans are costs, which Improve() decreases by one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/jobs/job_solver.h"

namespace vrp::test {

// A fake solver. A solve starts at cost 100 or at the cost of its initial plan. It finds the plans
// of Improve(), and answers when it is cancelled or after Finish(). Thread-safe.
class FakeSolver final : public JobSolver {
 public:
  // Called before each solve. Its error or exception becomes the solve's.
  std::function<absl::Status(const SolveTask&)> before_solve = {};

  absl::StatusOr<TaskAnswer> Solve(const SolveTask& task, TaskReporter& reporter) override;

  // Lets the running solves find the next `count` better plans. Blocks until they have found these
  // plans, for at most 60 s.
  void Improve(int count = 1);
  // Ends the running solves and all later ones.
  void Finish();
  // Blocks until `count` solves run at once. Returns false after 60 s.
  bool AwaitRunning(int count);
  // Returns the requests so far, in order.
  std::vector<SolveTask> tasks() const;

 private:
  mutable absl::Mutex mutex_;
  int allowed_ ABSL_GUARDED_BY(mutex_) = 0;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<SolveTask> tasks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp::test
