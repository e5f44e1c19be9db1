#include "core/jobs/durable_job_manager.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/recovery.h"
#include "core/jobs/submission.h"

namespace vrp {
namespace {

absl::Status RequestCancel(JobChange& change) {
  switch (change.state()) {
    case JobState::kQueued:
    case JobState::kPaused:
      return change.MoveTo(JobState::kCancelled);
    case JobState::kCancelling:
    case JobState::kCancelled:
      return absl::OkStatus();
    default:
      return change.MoveTo(JobState::kCancelling);
  }
}

absl::Status CheckOptions(const JobManager::Options& options) {
  if (options.book == nullptr || options.trainer == nullptr || options.registry == nullptr ||
      options.clock == nullptr) {
    return absl::InvalidArgumentError("job manager: wanted a book, a trainer, a registry, a clock");
  }
  if (options.threads >= 1 && options.max_attempts >= 1 && options.max_queued >= 1)
    return absl::OkStatus();
  return absl::InvalidArgumentError(Concat("job manager: got threads ", options.threads,
                                           ", max_attempts ", options.max_attempts, ", max_queued ",
                                           options.max_queued, ", wanted 1 or more of each"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobManager>> JobManager::Create(Options options) {
  VRP_RETURN_IF_ERROR(CheckOptions(options));
  JobStore& store = options.book->store();
  VRP_RETURN_IF_ERROR(RecoverJobs(store, *options.registry, options.max_attempts));
  RemoveFinishedFolders(store, options.book->folder());
  return std::make_unique<DurableJobManager>(options);
}

DurableJobManager::DurableJobManager(const Options& options)
    : book_(options.book),
      max_queued_(options.max_queued),
      context_({.store = &book_->store(),
                .folder = &book_->folder(),
                .stopping = &stopping_,
                .trainer = options.trainer,
                .registry = options.registry,
                .clock = options.clock,
                .threads = options.threads,
                .default_device = options.default_device,
                .progress_interval = options.progress_interval}),
      runner_({.store = &book_->store(), .kind = JobKind::kTraining, .stopping = &stopping_},
              [this](const Job& job, const std::shared_ptr<CancelFlag>& cancel) {
                JobRun(context_, job, cancel).Run();
              }) {}

absl::StatusOr<TrainingConfig> DurableJobManager::Validate(const JobSpec& spec) const {
  return ValidateSpec(spec);
}

absl::StatusOr<Job> DurableJobManager::Submit(const JobSpec& spec, const std::string& request_id) {
  VRP_RETURN_IF_ERROR(CheckRequestId(request_id));
  JobStore& store = book_->store();
  VRP_ASSIGN_OR_RETURN(std::optional<Job> known, store.FindRequest(spec, request_id));
  if (known) return *std::move(known);
  VRP_RETURN_IF_ERROR(ValidateSpec(spec).status());
  VRP_ASSIGN_OR_RETURN(Job job, store.Submit(spec, request_id, max_queued_));
  runner_.Wake();
  return job;
}

absl::StatusOr<Job> DurableJobManager::Get(std::string_view id) const {
  return book_->Get(JobKind::kTraining, id);
}

std::string DurableJobManager::TensorBoardFolder(std::string_view id) const {
  const std::string folder = book_->folder().TensorBoardPath(id);
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, error);
  return error ? folder : absolute.string();
}

absl::StatusOr<JobPage> DurableJobManager::List(int32_t page_size,
                                                const std::string& page_token) const {
  return book_->List(JobKind::kTraining, page_size, page_token);
}

absl::StatusOr<Job> DurableJobManager::Cancel(std::string_view id) {
  VRP_RETURN_IF_ERROR(Get(id).status());
  VRP_ASSIGN_OR_RETURN(Job job, book_->store().Update(id, Durability::kFull, RequestCancel));
  if (!runner_.Cancel(id)) RemoveJobFolder(book_->folder(), job);
  return job;
}

absl::StatusOr<std::shared_ptr<EventSubscription>> DurableJobManager::Watch(std::string_view id,
                                                                            int64_t from) {
  return book_->Watch(JobKind::kTraining, id, from);
}

}  // namespace vrp
