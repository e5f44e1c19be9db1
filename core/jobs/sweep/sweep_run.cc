#include "core/jobs/sweep/sweep_run.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/disk_space.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/held_trial.h"
#include "core/jobs/sweep/publish_trial.h"
#include "core/jobs/sweep/trial_result.h"
#include "core/jobs/update_with_retries.h"

namespace vrp {
namespace {

// Wait after a change of a trial failed, because the queue or the disk is full.
constexpr absl::Duration kTrialRetry = absl::Seconds(1);

// Whether the same call may succeed later.
bool MaySucceedLater(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsUnavailable(status);
}

// Returns what a trial's part says, to record each part once.
std::string PartKey(const TrialResult& result) {
  return Concat(JobStateName(result.state), " ",
                result.progress.has_value() ? result.progress->epoch : 0);
}

// Returns the error of a sweep whose trials all ended without a model.
absl::Status NoModelError(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    if (job.state != JobState::kFailed) continue;
    return absl::AbortedError(Concat("no trial has succeeded; trial ", job.spec.trial, " (",
                                     ResourceName(job),
                                     ") failed: ", FromAbsl(job.error.message())));
  }
  return absl::AbortedError("no trial has succeeded: all were cancelled");
}

}  // namespace

std::vector<TrialStatus> TrialStatuses(const SweepPlan& plan, const std::vector<Job>& jobs) {
  std::vector<TrialStatus> statuses(plan.trials.size());
  for (const Job& job : jobs) {
    const auto index = static_cast<size_t>(job.spec.trial) - 1;
    if (index < statuses.size()) statuses[index] = StatusOfTrial(job);
  }
  return statuses;
}

absl::StatusOr<SweepPlan> ReadSweepPlan(const JobStore& store, const Job& sweep) {
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> content,
                       store.ReadContent(sweep.id, SolveContent::kRequest));
  // The first line identifies the request; see SweepManager::Start.
  const std::string text = content.value_or("");
  return ParseSweepPlan(std::string_view(text).substr(std::min(text.size(), text.find('\n'))),
                        ResourceName(sweep));
}

void RemoveTrialModels(const JobStore& store, const StateFolder& folder, std::string_view sweep) {
  const absl::StatusOr<std::vector<Job>> jobs = store.ListTrials(sweep);
  if (!jobs.ok()) return;  // the next start removes them
  absl::MutexLock lock(&folder.removals());
  for (const Job& job : *jobs) {
    std::error_code ignored;
    if (job.state == JobState::kSucceeded) {
      std::filesystem::remove_all(folder.JobPath(job.id), ignored);
    }
  }
}

void SweepRun::Run() {
  began_ = context_.clock->SteadyNow();
  const absl::StatusOr<Outcome> outcome = RunTrials();
  const absl::StatusOr<Job> ended =
      UpdateWithRetries(*context_.store, *context_.stopping, job_.id,
                        [&](JobChange& change) { return Conclude(change, outcome); });
  // If every write failed, the next start goes on from the trials' jobs.
  if (!ended.ok() || !IsFinal(ended->state)) return;
  const std::string name = ResourceName(job_);
  const absl::StatusOr<std::vector<Job>> jobs = context_.store->ListTrials(name);
  for (const Job& job : jobs.value_or(std::vector<Job>())) {
    if (!IsFinal(job.state)) context_.jobs->Cancel(job.id).IgnoreError();
  }
  RemoveTrialModels(*context_.store, *context_.folder, name);
}

absl::StatusOr<SweepRun::Outcome> SweepRun::RunTrials() {
  VRP_RETURN_IF_ERROR(Begin());
  const std::string name = ResourceName(job_);
  VRP_ASSIGN_OR_RETURN(plan_, ReadSweepPlan(*context_.store, job_));
  VRP_RETURN_IF_ERROR(ReadReported());
  VRP_RETURN_IF_ERROR(ResumeTrials());
  while (!cancel_->cancelled()) {
    VRP_ASSIGN_OR_RETURN(const SweepGoal goal, ReadGoal());
    VRP_ASSIGN_OR_RETURN(const std::vector<Job> jobs, context_.store->ListTrials(name));
    VRP_RETURN_IF_ERROR(Report(jobs));
    SweepShape shape = plan_.Shape();
    shape.at_once = context_.jobs->places();
    const SweepStep step = NextStep(shape, TrialStatuses(plan_, jobs), goal);
    absl::StatusOr<std::optional<Outcome>> outcome = Take(step, jobs, goal);
    if (MaySucceedLater(outcome.status())) {
      Log(Concat("tries again: ", FromAbsl(outcome.status().message())));
      context_.stopping->WaitFor(kTrialRetry);
      continue;
    }
    VRP_RETURN_IF_ERROR(outcome.status());
    if (outcome->has_value()) {
      const bool stopped = goal == SweepGoal::kEnd && (*outcome)->best == 0;
      if (stopped) (*outcome)->state = JobState::kCancelled;
      return **outcome;
    }
  }
  return Outcome{.state = JobState::kQueued};
}

absl::Status SweepRun::Begin() {
  return UpdateWithRetries(*context_.store, *context_.stopping, job_.id,
                           [this](JobChange& change) -> absl::Status {
                             if (job_.attempt > 1) change.RecordSearchResume();
                             if (change.state() != JobState::kPreparing) return absl::OkStatus();
                             return change.MoveTo(change.record().job.stop_requested
                                                      ? JobState::kStopping
                                                      : JobState::kRunning);
                           })
      .status();
}

absl::Status SweepRun::ResumeTrials() {
  VRP_ASSIGN_OR_RETURN(const std::vector<Job> jobs, context_.store->ListTrials(ResourceName(job_)));
  for (const Job& job : jobs) {
    if (job.state != JobState::kPaused || IsHeld(job)) continue;
    context_.jobs->Resume(job.id).IgnoreError();  // a user may have ended it meanwhile
  }
  return absl::OkStatus();
}

absl::StatusOr<SweepGoal> SweepRun::ReadGoal() const {
  VRP_ASSIGN_OR_RETURN(const JobRecord record, context_.store->Find(JobKind::kSweep, job_.id));
  if (record.job.state == JobState::kStopping) return SweepGoal::kEnd;
  return record.job.state == JobState::kPausing ? SweepGoal::kPause : SweepGoal::kRun;
}

absl::StatusOr<std::optional<SweepRun::Outcome>> SweepRun::Take(const SweepStep& step,
                                                                const std::vector<Job>& jobs,
                                                                SweepGoal goal) {
  using Kind = SweepStep::Kind;
  if (step.kind == Kind::kSubmit) {
    VRP_RETURN_IF_ERROR(SubmitTrial(step.trial, step.pause_epoch));
    return std::nullopt;
  }
  if (step.kind == Kind::kPaused) return Outcome{.state = JobState::kPaused};
  if (step.kind == Kind::kNoModel) {
    if (goal != SweepGoal::kEnd) return NoModelError(jobs);
    return Outcome{.state = JobState::kCancelled};
  }
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&step](const Job& job) {
    return job.spec.trial == static_cast<int32_t>(step.trial) + 1;
  });
  if (found == jobs.end()) return absl::InternalError("the step's trial has no job");
  if (step.kind == Kind::kFinish) {
    VRP_ASSIGN_OR_RETURN(Outcome outcome, PublishBest(*found));
    return outcome;
  }
  const absl::Status changed =
      step.kind == Kind::kWait ? AwaitChange(jobs, goal) : ChangeTrial(step, *found);
  // The trial may have changed since the look at it; the next look shows how.
  if (absl::IsFailedPrecondition(changed) || absl::IsNotFound(changed)) return std::nullopt;
  VRP_RETURN_IF_ERROR(changed);
  return std::nullopt;
}

absl::Status SweepRun::ChangeTrial(const SweepStep& step, const Job& trial) {
  using Kind = SweepStep::Kind;
  switch (step.kind) {
    case Kind::kContinue:
      return context_.jobs->ContinueTrial(trial.id, step.pause_epoch).status();
    case Kind::kDrop:
      return context_.jobs->Cancel(trial.id).status();
    case Kind::kStop:
      return context_.jobs->Stop(trial.id).status();
    case Kind::kPause:
      return context_.jobs->Pause(trial.id).status();
    default:
      return absl::InternalError("a step that changes no trial");
  }
}

absl::Status SweepRun::AwaitChange(const std::vector<Job>& jobs, SweepGoal goal) {
  std::vector<Job> active;
  for (const Job& job : jobs) {
    if (IsFinal(job.state) || IsHeld(job)) continue;
    if (job.state == JobState::kPaused) {
      Log(Concat("waits for trial ", job.spec.trial, ", which a user paused: resume ",
                 ResourceName(job)));
    }
    active.push_back(job);
  }
  while (!cancel_->cancelled()) {
    context_.stopping->WaitFor(context_.poll_interval);
    for (const Job& trial : active) {
      VRP_ASSIGN_OR_RETURN(const bool changed, HasChanged(trial));
      if (changed) return absl::OkStatus();
    }
    VRP_ASSIGN_OR_RETURN(const SweepGoal now, ReadGoal());
    if (now != goal) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> SweepRun::HasChanged(const Job& trial) {
  VRP_ASSIGN_OR_RETURN(const JobRecord record, context_.store->Find(JobKind::kTraining, trial.id));
  if (record.job.state != trial.state) return true;
  VRP_RETURN_IF_ERROR(ReportProgress(record.job));
  return false;
}

absl::Status SweepRun::SubmitTrial(size_t trial, int64_t pause_epoch) {
  JobSpec spec = plan_.TrialSpec(ResourceName(job_), trial);
  spec.pause_epoch = pause_epoch;
  const absl::Status submitted = context_.jobs->Submit(spec, "").status();
  if (submitted.ok() || MaySucceedLater(submitted)) return submitted;
  return absl::Status(submitted.code(), Concat("trial ", spec.trial,
                                               " cannot start: ", FromAbsl(submitted.message())));
}

absl::StatusOr<SweepRun::Outcome> SweepRun::PublishBest(const Job& best) {
  absl::StatusOr<ModelVersion> published = absl::UnknownError("not tried yet");
  VRP_RETURN_IF_ERROR(WriteWhenDiskHasSpace(
      StopCondition(absl::InfiniteFuture(), cancel_),
      [&] {
        published = PublishTrial(*context_.registry, *context_.folder, best, plan_.name);
        return published.status();
      },
      [&](const absl::Status& full) {
        Log(Concat("the model is published once the disk has space: ", FromAbsl(full.message())));
      }));
  if (published->name != plan_.name) {
    Log(Concat("the model is published as ", published->name, ": models/", plan_.name,
               " has versions of another architecture"));
  }
  return Outcome{.model = ModelResourceName(published->name, published->version),
                 .best = best.spec.trial};
}

absl::Status SweepRun::ReadReported() {
  VRP_ASSIGN_OR_RETURN(const std::vector<std::string> parts,
                       context_.store->ReadParts(job_.id, 1, INT64_MAX));
  for (const std::string& part : parts) {
    VRP_ASSIGN_OR_RETURN(const TrialResult result, ParseTrialResult(part, ResourceName(job_)));
    reported_[result.trial] = PartKey(result);
  }
  return absl::OkStatus();
}

absl::Status SweepRun::Report(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    if (!IsFinal(job.state) && !IsHeld(job)) continue;
    const TrialResult result = ResultOfTrial(job);
    const std::string key = PartKey(result);
    if (reported_[result.trial] == key) continue;
    VRP_RETURN_IF_ERROR(
        Record([&](JobChange& change) { change.RecordPart(RunTime(), WriteTrialResult(result)); }));
    reported_[result.trial] = key;
  }
  return absl::OkStatus();
}

absl::Status SweepRun::ReportProgress(const Job& trial) {
  const absl::Time now = context_.clock->SteadyNow();
  if (!trial.progress.has_value() || !trial.progress->end_of_epoch) return absl::OkStatus();
  ShownProgress& shown = shown_[trial.spec.trial];
  const bool same = trial.progress->epoch == shown.epoch;
  if (same || now - shown.time < context_.progress_interval) return absl::OkStatus();
  shown = {.epoch = trial.progress->epoch, .time = now};
  return Record([&trial](JobChange& change) {
    change.RecordTrialProgress(trial.spec.trial, *trial.progress);
  });
}

absl::Status SweepRun::Record(absl::FunctionRef<void(JobChange&)> add) {
  return UpdateWithRetries(*context_.store, *context_.stopping, job_.id,
                           [add](JobChange& change) {
                             add(change);
                             return absl::OkStatus();
                           })
      .status();
}

void SweepRun::Log(const std::string& line) {
  if (line == last_log_) return;
  last_log_ = line;
  Record([&line](JobChange& change) { change.RecordLog(line); }).IgnoreError();
}

absl::Duration SweepRun::RunTime() const {
  return job_.solve.progress.search_time + (context_.clock->SteadyNow() - began_);
}

absl::Status SweepRun::Conclude(JobChange& change, const absl::StatusOr<Outcome>& outcome) const {
  change.SetSearchTime(RunTime(), absl::ZeroDuration());
  if (context_.stopping->IsSet() && (!outcome.ok() || outcome->state == JobState::kQueued)) {
    if (change.state() == JobState::kPausing) return change.MoveTo(JobState::kPaused);
    change.RecordLog("the daemon stops; the sweep goes on at the next start");
    return change.MoveTo(JobState::kQueued);
  }
  if (!outcome.ok()) return change.Fail(outcome.status());
  if (outcome->state != JobState::kSucceeded) return change.MoveTo(outcome->state);
  change.SetModel(outcome->model);
  change.RecordAnswer(change.record().job.solve.progress, Concat(outcome->best));
  return change.MoveTo(JobState::kSucceeded);
}

}  // namespace vrp
