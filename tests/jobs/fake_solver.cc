#include "tests/jobs/fake_solver.h"

#include "absl/strings/numbers.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp::test {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(60);  // limit for all waits
// Time between two checks of a solve for cancellation.
constexpr absl::Duration kPollInterval = absl::Milliseconds(1);

}  // namespace

absl::StatusOr<TaskAnswer> FakeSolver::Solve(const SolveTask& task, TaskReporter& reporter) {
  if (before_solve) VRP_RETURN_IF_ERROR(before_solve(task));
  double cost = 100;
  if (!task.plan.empty() && !absl::SimpleAtod(task.plan, &cost)) {
    return absl::DataLossError(Concat("plan: got ", Quoted(task.plan), ", wanted its cost"));
  }
  absl::MutexLock lock(&mutex_);
  tasks_.push_back(task);
  ++running_;
  while (!done_ && !task.cancel->cancelled()) {
    if (allowed_ == 0) {
      const auto wanted = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return done_ || allowed_ > 0;
      };
      mutex_.AwaitWithTimeout(absl::Condition(&wanted), kPollInterval);
      continue;
    }
    cost -= 1;
    reporter.ReportPlan({.cost = cost, .routes = 3, .unserved = 0, .text = Concat(cost)});
    --allowed_;
  }
  --running_;
  return TaskAnswer{
      .answer = Concat("answer of ", task.request, ": ", cost),
      .plan = FoundPlan{.cost = cost, .routes = 3, .unserved = 0, .text = Concat(cost)},
      .cancelled = !done_};
}

void FakeSolver::Improve(int count) {
  absl::MutexLock lock(&mutex_);
  allowed_ = count;
  const auto found = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return allowed_ == 0; };
  mutex_.AwaitWithTimeout(absl::Condition(&found), kTimeout);
}

void FakeSolver::Finish() {
  absl::MutexLock lock(&mutex_);
  done_ = true;
}

bool FakeSolver::AwaitRunning(int count) {
  absl::MutexLock lock(&mutex_);
  const auto wanted = [this, count]()
                          ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return running_ == count; };
  return mutex_.AwaitWithTimeout(absl::Condition(&wanted), kTimeout);
}

std::vector<SolveTask> FakeSolver::tasks() const {
  absl::MutexLock lock(&mutex_);
  return tasks_;
}

}  // namespace vrp::test
