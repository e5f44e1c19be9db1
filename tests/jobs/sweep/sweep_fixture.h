// Provides a fixture with a sweep manager and a job manager on a fake trainer.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/jobs/sweep/sweep_manager.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp::test {

inline constexpr char kBaseYaml[] =
    "name: tiny\ntraining: {epochs: 4, batches_per_epoch: 2, checkpoint_every_steps: 3}\n";

class SweepFixture : public JobManagerFixture {
 protected:
  // Opens the managers. A second call restarts the daemon.
  void OpenAll() {
    sweeps_.reset();
    book_.reset();
    jobs_.reset();
    JobManager::Options options = ManagerOptions();
    options.jobs_at_once = jobs_at_once_;
    book_ = options.book;
    ASSERT_NE(book_, nullptr);
    absl::StatusOr<std::unique_ptr<JobManager>> jobs = JobManager::Create(options);
    ASSERT_TRUE(jobs.ok()) << jobs.status();
    jobs_ = *std::move(jobs);
    OpenSweeps();
  }
  void OpenSweeps() {
    absl::StatusOr<std::unique_ptr<SweepManager>> sweeps =
        SweepManager::Create({.book = book_,
                              .jobs = jobs_.get(),
                              .registry = registry_.get(),
                              .clock = &clock_,
                              .poll_interval = absl::Milliseconds(1)});
    ASSERT_TRUE(sweeps.ok()) << sweeps.status();
    sweeps_ = *std::move(sweeps);
  }

  static SweepRequest ARequest(const std::string& yaml) {
    SweepRequest request{.sweep_yaml = yaml, .sweep_name = "s.yaml"};
    request.base.config_name = "tiny.yaml";
    request.base.config_yaml = kBaseYaml;
    request.base.device = "cpu";
    return request;
  }
  absl::StatusOr<SweepPlan> Plan(const SweepRequest& request) const {
    return sweeps_->Plan(request, [](const TrainingConfig&) { return absl::OkStatus(); });
  }
  // Returns the error of a request.
  std::string PlanError(const SweepRequest& request) const {
    const absl::StatusOr<SweepPlan> plan = Plan(request);
    EXPECT_FALSE(plan.ok()) << "wanted an error";
    return plan.ok() ? "" : std::string(plan.status().message());
  }
  std::string Start(const std::string& yaml, const std::string& request_id = "") {
    const SweepRequest request = ARequest(yaml);
    const absl::StatusOr<SweepPlan> plan = Plan(request);
    EXPECT_TRUE(plan.ok()) << plan.status();
    const absl::StatusOr<Job> job = sweeps_->Start(request, *plan, "summary", request_id);
    EXPECT_TRUE(job.ok()) << job.status();
    return job->id;
  }
  SweepState StateOf(const std::string& id) const {
    const absl::StatusOr<SweepState> state = sweeps_->State(*sweeps_->Get(id));
    EXPECT_TRUE(state.ok()) << state.status();
    return *state;
  }
  // Returns the states of the trials' jobs, with their last epochs: "SUCCEEDED 4", "dropped 1",
  // "-".
  std::vector<std::string> TrialTexts(const std::string& id) const {
    std::vector<std::string> texts;
    for (const TrialResult& trial : StateOf(id).trials) {
      const std::string state = trial.dropped ? "dropped" : std::string(JobStateName(trial.state));
      const int64_t epoch = trial.progress.has_value() ? trial.progress->epoch : 0;
      texts.push_back(trial.job.empty() ? "-" : Concat(state, " ", epoch));
    }
    return texts;
  }
  // Returns the number of versions of models/tiny.
  size_t Versions() const { return registry_->List().size(); }

  int32_t jobs_at_once_ = 1;
  std::shared_ptr<JobBook> book_;
  std::unique_ptr<SweepManager> sweeps_;  // last member, destroyed first
};

}  // namespace vrp::test
