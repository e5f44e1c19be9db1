// One attempt of a sweep: submits its trials, as many at once as there are places for training
// jobs, and publishes the best one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/stop.h"
#include "core/base/stop_signal.h"
#include "core/jobs/job_manager.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"
#include "core/jobs/sweep/sweep_plan.h"
#include "core/registry/registry.h"

namespace vrp {

// The environment of a run. All members outlive the run.
struct SweepRunContext {
  JobStore* store = nullptr;
  const StateFolder* folder = nullptr;
  const StopSignal* stopping = nullptr;
  JobManager* jobs = nullptr;
  Registry* registry = nullptr;
  const Clock* clock = nullptr;
  absl::Duration poll_interval;      // time between two looks at the trials
  absl::Duration progress_interval;  // minimum time between two events of a trial's progress
};

// Returns the statuses of a plan's trials; `jobs` are those that were submitted.
std::vector<TrialStatus> TrialStatuses(const SweepPlan& plan, const std::vector<Job>& jobs);

// Reads the plan of a sweep. Returns kDataLoss if it is damaged.
absl::StatusOr<SweepPlan> ReadSweepPlan(const JobStore& store, const Job& sweep);

// One attempt of a sweep. Its state is that of its trials' jobs, so that a crash loses nothing.
class SweepRun {
 public:
  // Prepares a run of `job`, which is PREPARING. Stopping the daemon sets `cancel`.
  SweepRun(const SweepRunContext& context, Job job, std::shared_ptr<const CancelFlag> cancel)
      : context_(context), job_(std::move(job)), cancel_(std::move(cancel)) {}

  // Runs the sweep and stores its outcome: SUCCEEDED with the best trial's model, FAILED, CANCELLED
  // (stopped without a model), PAUSED, or QUEUED again if the daemon stops. Blocks.
  void Run();

 private:
  // The end of a run.
  struct Outcome {
    JobState state = JobState::kSucceeded;
    std::string model = {};  // the published version
    int32_t best = 0;        // number of its trial
  };
  // A recorded progress.
  struct ShownProgress {
    int64_t epoch = 0;
    absl::Time time = absl::InfinitePast();
  };
  // Returns the outcome, or the error with which the sweep fails.
  absl::StatusOr<Outcome> RunTrials();
  absl::Status Begin();
  // Resumes trials that were paused together with the sweep.
  absl::Status ResumeTrials();
  absl::StatusOr<SweepGoal> ReadGoal() const;
  // Takes a step. Returns the outcome if the step ends the run.
  absl::StatusOr<std::optional<Outcome>> Take(const SweepStep& step, const std::vector<Job>& jobs,
                                              SweepGoal goal);
  // Blocks until the state of an active trial or the goal changes, or the daemon stops. Meanwhile
  // records the progress of these trials.
  absl::Status AwaitChange(const std::vector<Job>& jobs, SweepGoal goal);
  // Records the progress of an active trial. Returns whether its state has changed.
  absl::StatusOr<bool> HasChanged(const Job& trial);
  // Takes a step that changes a trial.
  absl::Status ChangeTrial(const SweepStep& step, const Job& trial);
  absl::Status SubmitTrial(size_t trial, int64_t pause_epoch);
  absl::StatusOr<Outcome> PublishBest(const Job& best);
  // Records trials that ended or wait for a selection, each once.
  absl::Status Report(const std::vector<Job>& jobs);
  absl::Status ReportProgress(const Job& trial);
  absl::Status ReadReported();
  absl::Status Record(absl::FunctionRef<void(JobChange&)> add);
  void Log(const std::string& line);
  absl::Status Conclude(JobChange& change, const absl::StatusOr<Outcome>& outcome) const;
  absl::Duration RunTime() const;

  const SweepRunContext& context_;
  const Job job_;
  const std::shared_ptr<const CancelFlag> cancel_;
  SweepPlan plan_;
  absl::Time began_;
  std::map<int32_t, std::string> reported_;  // by trial: what its last part said
  std::map<int32_t, ShownProgress> shown_;   // by trial: the progress that was recorded last
  std::string last_log_;                     // not repeated
};

// Removes the models that the trials of an ended sweep keep.
void RemoveTrialModels(const JobStore& store, const StateFolder& folder, std::string_view sweep);

}  // namespace vrp
