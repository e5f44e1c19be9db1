#include "core/jobs/sweep/sweep_manager.h"

#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/base/number.h"
#include "core/base/page_size.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/job_requests.h"
#include "core/jobs/job_run.h"
#include "core/jobs/submission.h"

namespace vrp {
namespace {

// Seeds that are drawn for users are short, because users repeat them.
constexpr uint32_t kMaxDrawnSeed = 999'999;

// Calls `take` with all sweeps, newest first, until it returns an error.
absl::Status ForEachSweep(const JobBook& book, absl::FunctionRef<absl::Status(const Job&)> take) {
  JobFilter filter{.page_size = kMaxPageSize};
  do {
    VRP_ASSIGN_OR_RETURN(JobPage page, book.List(JobKind::kSweep, filter));
    for (const Job& job : page.jobs) VRP_RETURN_IF_ERROR(take(job));
    filter.page_token = std::move(page.next_page_token);
  } while (!filter.page_token.empty());
  return absl::OkStatus();
}

// Recovers a sweep that the previous daemon's crash interrupted.
absl::Status RecoverSweep(JobChange& change) {
  if (change.state() == JobState::kPausing) return change.MoveTo(JobState::kPaused);
  change.RecordLog("the daemon crashed while the sweep ran; it goes on with its trials");
  return change.MoveTo(JobState::kQueued);
}

}  // namespace

absl::StatusOr<std::unique_ptr<SweepManager>> SweepManager::Create(const Options& options) {
  if (options.book == nullptr || options.jobs == nullptr || options.registry == nullptr ||
      options.clock == nullptr || options.max_queued < 1) {
    return absl::InvalidArgumentError(
        "sweep manager: wanted a book, a job manager, a registry, a clock and a max_queued of 1 or "
        "more");
  }
  std::unique_ptr<SweepManager> manager(new SweepManager(options));
  VRP_RETURN_IF_ERROR(manager->Recover());
  manager->runner_ = std::make_unique<JobRunner>(
      JobRunner::Options{.store = &manager->book_->store(),
                         .kind = JobKind::kSweep,
                         .stopping = &manager->stopping_},
      [&context = manager->context_](const Job& job, const std::shared_ptr<CancelFlag>& cancel) {
        SweepRun(context, job, cancel).Run();
      });
  return manager;
}

SweepManager::SweepManager(const Options& options)
    : book_(options.book),
      jobs_(options.jobs),
      max_queued_(options.max_queued),
      context_({.store = &book_->store(),
                .folder = &book_->folder(),
                .stopping = &stopping_,
                .jobs = options.jobs,
                .registry = options.registry,
                .clock = options.clock,
                .poll_interval = options.poll_interval,
                .progress_interval = options.progress_interval}) {}

absl::Status SweepManager::Recover() {
  VRP_ASSIGN_OR_RETURN(const std::vector<JobRecord> active,
                       book_->store().ListActive(JobKind::kSweep));
  for (const JobRecord& record : active) {
    VRP_RETURN_IF_ERROR(
        book_->store().Update(record.job.id, Durability::kFull, RecoverSweep).status());
  }
  return ForEachSweep(*book_, [this](const Job& sweep) {
    if (sweep.state == JobState::kPaused) PauseTrials(sweep);
    // A crash may have left the models of an ended sweep's trials.
    if (IsFinal(sweep.state)) {
      RemoveTrialModels(book_->store(), book_->folder(), ResourceName(sweep));
    }
    return absl::OkStatus();
  });
}

void SweepManager::PauseTrials(const Job& sweep) {
  const absl::StatusOr<std::vector<Job>> trials = book_->store().ListTrials(ResourceName(sweep));
  for (const Job& trial : trials.value_or(std::vector<Job>())) {
    if (!IsFinal(trial.state)) jobs_->Pause(trial.id).IgnoreError();  // some are paused already
  }
}

absl::StatusOr<SweepPlan> SweepManager::Plan(const SweepRequest& request, ConfigCheck check) const {
  std::random_device random;
  return MakeSweepPlan(request, *jobs_, check, 1 + random() % kMaxDrawnSeed);
}

absl::StatusOr<Job> SweepManager::Start(const SweepRequest& request, const SweepPlan& plan,
                                        const std::string& summary, const std::string& request_id) {
  VRP_RETURN_IF_ERROR(CheckRequestId(request_id));
  // The plan is not part of the identity, because its seed may be drawn.
  const SolveSpec spec{.kind = JobKind::kSweep,
                       .request = Sha256Hex(WriteSweepRequest(request)) + "\n",
                       .attachment = WriteSweepPlan(plan),
                       .summary = summary,
                       .dataset = absl::StrJoin(plan.datasets, " ")};
  VRP_ASSIGN_OR_RETURN(std::optional<Job> known, book_->store().FindRequest(spec, request_id));
  if (known) return *std::move(known);
  absl::MutexLock lock(&book_->dataset_uses());
  VRP_RETURN_IF_ERROR(book_->quota().Check());
  VRP_ASSIGN_OR_RETURN(Job job, book_->store().Submit(spec, request_id, max_queued_));
  runner_->Wake();
  return job;
}

absl::StatusOr<Job> SweepManager::Get(std::string_view id) const {
  return book_->Get(JobKind::kSweep, id);
}

absl::StatusOr<JobPage> SweepManager::List(const JobFilter& filter) const {
  return book_->List(JobKind::kSweep, filter);
}

absl::StatusOr<std::shared_ptr<EventSubscription>> SweepManager::Watch(std::string_view id,
                                                                       int64_t from) const {
  return book_->Watch(JobKind::kSweep, id, from);
}

absl::StatusOr<SweepState> SweepManager::State(const Job& sweep) const {
  const std::string name = ResourceName(sweep);
  const JobStore& store = book_->store();
  SweepState state;
  VRP_ASSIGN_OR_RETURN(state.plan, ReadSweepPlan(store, sweep));
  for (size_t i = 0; i < state.plan.trials.size(); ++i) {
    state.trials.push_back({.trial = static_cast<int32_t>(i) + 1});
  }
  const auto set = [&state](TrialResult result) {
    const auto index = static_cast<size_t>(result.trial) - 1;
    if (index < state.trials.size()) state.trials[index] = std::move(result);
  };
  VRP_ASSIGN_OR_RETURN(const std::vector<std::string> parts,
                       store.ReadParts(sweep.id, 1, INT64_MAX));
  for (const std::string& part : parts) {
    VRP_ASSIGN_OR_RETURN(TrialResult result, ParseTrialResult(part, name));
    set(std::move(result));
  }
  VRP_ASSIGN_OR_RETURN(const std::vector<Job> jobs, store.ListTrials(name));
  for (const Job& job : jobs) set(ResultOfTrial(job));
  if (IsFinal(sweep.state)) {
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> best,
                         store.ReadContent(sweep.id, SolveContent::kAnswer));
    state.best = static_cast<int32_t>(ParseInteger(best.value_or("0")).value_or(0));
    return state;
  }
  std::optional<double> lowest;
  for (const TrialResult& trial : state.trials) {
    const std::optional<double> cost = ComparedCost(trial);
    if (!cost.has_value() || (lowest.has_value() && *cost >= *lowest)) continue;
    lowest = cost;
    state.best = trial.trial;
  }
  return state;
}

absl::StatusOr<TrialResult> SweepManager::Part(std::string_view id, int64_t part) const {
  VRP_ASSIGN_OR_RETURN(const std::vector<std::string> parts,
                       book_->store().ReadParts(id, part, part));
  const std::string name = JobResourceName(JobKind::kSweep, id);
  if (parts.empty()) return absl::NotFoundError(Concat(name, ": has no part ", part));
  return ParseTrialResult(parts.front(), name);
}

absl::StatusOr<Job> SweepManager::Change(std::string_view id,
                                         absl::FunctionRef<absl::Status(JobChange&)> change) {
  VRP_RETURN_IF_ERROR(Get(id).status());
  VRP_ASSIGN_OR_RETURN(Job job, book_->store().Update(id, Durability::kFull, change));
  if (job.state == JobState::kQueued) runner_->Wake();
  return job;
}

absl::StatusOr<Job> SweepManager::Stop(std::string_view id) { return Change(id, RequestStop); }

absl::StatusOr<Job> SweepManager::Pause(std::string_view id) {
  VRP_ASSIGN_OR_RETURN(Job job, Change(id, RequestPause));
  // A sweep that is queued again after a restart may have a running trial.
  if (job.state == JobState::kPaused) PauseTrials(job);
  return job;
}

absl::StatusOr<Job> SweepManager::Resume(std::string_view id) { return Change(id, RequestResume); }

absl::Status SweepManager::Delete(std::string_view id) {
  JobStore& store = book_->store();
  VRP_ASSIGN_OR_RETURN(const Job sweep, Get(id));
  VRP_ASSIGN_OR_RETURN(const std::vector<Job> trials, store.ListTrials(ResourceName(sweep)));
  VRP_RETURN_IF_ERROR(store.Delete(JobKind::kSweep, id));
  for (const Job& trial : trials) {
    // A trial that is still being cancelled stays.
    if (!store.Delete(JobKind::kTraining, trial.id).ok()) continue;
    RemoveDeletedJob(store, book_->folder(), trial.id);
  }
  return absl::OkStatus();
}

}  // namespace vrp
