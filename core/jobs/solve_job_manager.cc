#include "core/jobs/solve_job_manager.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/recovery.h"
#include "core/jobs/submission.h"

namespace vrp {
namespace {

absl::Status CheckSolveManagerOptions(const SolveJobManager::Options& options) {
  if (options.book == nullptr || options.solver == nullptr || options.clock == nullptr) {
    return absl::InvalidArgumentError("solve job manager: wanted a book, a solver and a clock");
  }
  if (options.max_running >= 1 && options.max_attempts >= 1 && options.max_queued >= 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(Concat(
      "solve job manager: got max_running ", options.max_running, ", max_attempts ",
      options.max_attempts, ", max_queued ", options.max_queued, ", wanted 1 or more of each"));
}

absl::Status RequestStop(JobChange& change) {
  switch (change.state()) {
    case JobState::kQueued:
      if (!change.record().job.solve.progress.has_result()) {
        return change.MoveTo(JobState::kCancelled);
      }
      VRP_RETURN_IF_ERROR(change.Start());
      return change.MoveTo(JobState::kStopping);
    case JobState::kStopping:
    case JobState::kSucceeded:
    case JobState::kCancelled:
      return absl::OkStatus();
    default:
      return change.MoveTo(JobState::kStopping);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<SolveJobManager>> SolveJobManager::Create(const Options& options) {
  VRP_RETURN_IF_ERROR(CheckSolveManagerOptions(options));
  VRP_ASSIGN_OR_RETURN(const std::vector<Job> stopping,
                       RecoverSolveJobs(options.book->store(), options.kind, options.max_attempts));
  std::unique_ptr<SolveJobManager> manager(new SolveJobManager(options));
  for (const Job& job : stopping) manager->FinishStoppedJob(job);
  manager->runner_ = std::make_unique<JobRunner>(
      manager->runner_options_,
      [&context = manager->context_](const Job& job, const std::shared_ptr<CancelFlag>& cancel) {
        SolveJobRun(context, job, cancel).Run();
      });
  return manager;
}

SolveJobManager::SolveJobManager(const Options& options)
    : kind_(options.kind),
      book_(options.book),
      datasets_(options.datasets),
      max_queued_(options.max_queued),
      context_({.store = &book_->store(),
                .stopping = &stopping_,
                .solver = options.solver,
                .clock = options.clock,
                .store_interval = options.store_interval}),
      runner_options_({.store = &book_->store(),
                       .kind = options.kind,
                       .threads = options.max_running,
                       .niceness = options.niceness,
                       .stopping = &stopping_}) {}

void SolveJobManager::FinishStoppedJob(const Job& job) {
  const auto cancel = std::make_shared<CancelFlag>();
  cancel->Cancel();
  SolveJobRun(context_, job, cancel).Run();
}

absl::StatusOr<Job> SolveJobManager::Submit(const SolveSpec& spec, const std::string& request_id) {
  if (spec.kind != kind_) return absl::InternalError("a job of another kind");
  VRP_RETURN_IF_ERROR(CheckRequestId(request_id));
  JobStore& store = book_->store();
  VRP_ASSIGN_OR_RETURN(std::optional<Job> known, store.FindRequest(spec, request_id));
  if (known) return *std::move(known);
  absl::MutexLock lock(&book_->dataset_uses());
  if (!spec.dataset.empty()) {
    if (datasets_ == nullptr) return absl::InternalError("a dataset, without a store of them");
    VRP_RETURN_IF_ERROR(datasets_->Get(spec.dataset).status());
  }
  VRP_RETURN_IF_ERROR(book_->quota().Check());
  VRP_ASSIGN_OR_RETURN(Job job, store.Submit(spec, request_id, max_queued_));
  runner_->Wake();
  return job;
}

absl::StatusOr<Job> SolveJobManager::Get(std::string_view id) const {
  return book_->Get(kind_, id);
}

absl::StatusOr<JobPage> SolveJobManager::List(int32_t page_size,
                                              const std::string& page_token) const {
  return book_->List(kind_, {.page_size = page_size, .page_token = page_token});
}

absl::StatusOr<std::shared_ptr<EventSubscription>> SolveJobManager::Watch(std::string_view id,
                                                                          int64_t from) const {
  return book_->Watch(kind_, id, from);
}

absl::StatusOr<std::optional<std::string>> SolveJobManager::Answer(std::string_view id) const {
  return book_->store().ReadContent(id, SolveContent::kAnswer);
}

absl::StatusOr<std::vector<std::string>> SolveJobManager::Parts(std::string_view id, int64_t first,
                                                                int64_t last) const {
  return book_->store().ReadParts(id, first, last);
}

absl::StatusOr<std::vector<SolveJobManager::UnfinishedRequest>>
SolveJobManager::ListUnfinishedRequests() const {
  constexpr int32_t kPage = 1000;  // number of jobs that are read at once
  std::vector<UnfinishedRequest> requests;
  std::string token;
  do {
    VRP_ASSIGN_OR_RETURN(JobPage page, List(kPage, token));
    for (const Job& job : page.jobs) {
      if (IsFinal(job.state)) continue;
      VRP_ASSIGN_OR_RETURN(std::optional<std::string> request,
                           book_->store().ReadContent(job.id, SolveContent::kRequest));
      if (request.has_value()) requests.push_back({job.id, *std::move(request)});
    }
    token = std::move(page.next_page_token);
  } while (!token.empty());
  return requests;
}

absl::StatusOr<Job> SolveJobManager::Stop(std::string_view id) {
  VRP_RETURN_IF_ERROR(Get(id).status());
  JobState before = JobState::kQueued;
  VRP_ASSIGN_OR_RETURN(Job job,
                       book_->store().Update(id, Durability::kFull, [&before](JobChange& change) {
                         before = change.state();
                         return RequestStop(change);
                       }));
  if (job.state != JobState::kStopping) return job;
  if (before != JobState::kQueued) {
    runner_->Cancel(id);
    return job;
  }
  FinishStoppedJob(job);
  return Get(id);
}

absl::Status SolveJobManager::Delete(std::string_view id) {
  return book_->store().Delete(kind_, id);
}

}  // namespace vrp
