#include "core/jobs/durable_job_manager.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/recovery.h"
#include "core/jobs/stored_event_subscription.h"
#include "core/jobs/submission.h"

namespace vrp {
namespace {

constexpr int32_t kDefaultPageSize = 50;
constexpr int32_t kMaxPageSize = 1000;
constexpr absl::Duration kStoreRetry = absl::Seconds(1);

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
  if (options.trainer == nullptr || options.registry == nullptr || options.clock == nullptr) {
    return absl::InvalidArgumentError("job manager: wanted a trainer, a registry and a clock");
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
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<StateFolder> folder,
                       StateFolder::Open(options.state_directory));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<JobStore> opened,
                       JobStore::Open(folder->DatabasePath(), options.clock));
  std::shared_ptr<JobStore> store = std::move(opened);
  VRP_RETURN_IF_ERROR(RecoverJobs(*store, *options.registry, options.max_attempts));
  RemoveFinishedFolders(*store, *folder);
  auto topics = std::make_shared<EventTopics>();
  store->SetListener([topics](const Job& job) { topics->Advance(job); });
  return std::make_unique<DurableJobManager>(options, std::move(folder), std::move(store),
                                             std::move(topics));
}

DurableJobManager::DurableJobManager(const Options& options, std::unique_ptr<StateFolder> folder,
                                     std::shared_ptr<JobStore> store,
                                     std::shared_ptr<EventTopics> topics)
    : folder_(std::move(folder)),
      store_(std::move(store)),
      topics_(std::move(topics)),
      max_queued_(options.max_queued),
      context_({.store = store_.get(),
                .folder = folder_.get(),
                .stopping = &stopping_,
                .trainer = options.trainer,
                .registry = options.registry,
                .clock = options.clock,
                .threads = options.threads,
                .default_device = options.default_device,
                .progress_interval = options.progress_interval}),
      runner_([this] { RunJobs(); }) {}

DurableJobManager::~DurableJobManager() {
  stopping_.Set();
  Wake();
  {
    absl::MutexLock lock(&mutex_);
    if (running_cancel_ != nullptr) running_cancel_->Cancel();
  }
  runner_.join();
  topics_->CloseAll();
}

void DurableJobManager::Wake() {
  absl::MutexLock lock(&mutex_);
  wake_ = true;
}

bool DurableJobManager::WaitForWork() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(&wake_));
  wake_ = false;
  return !stopping_.IsSet();
}

void DurableJobManager::RunJobs() {
  while (WaitForWork()) {
    const absl::StatusOr<std::optional<Job>> job = store_->StartNext();
    if (!job.ok()) {
      stopping_.WaitFor(
          kStoreRetry);  // a full disk: the queue goes on once the store can be written
      Wake();
    } else if (job->has_value()) {
      Wake();  // more may wait
      RunOne(**job);
    }
  }
}

void DurableJobManager::RunOne(const Job& job) {
  const auto cancel = std::make_shared<CancelFlag>();
  {
    absl::MutexLock lock(&mutex_);
    running_id_ = job.id;
    running_cancel_ = cancel;
    if (stopping_.IsSet()) cancel->Cancel();
  }
  JobRun(context_, job, cancel).Run();
  absl::MutexLock lock(&mutex_);
  running_id_.clear();
  running_cancel_.reset();
}

absl::StatusOr<TrainingConfig> DurableJobManager::Validate(const JobSpec& spec) const {
  return ValidateSpec(spec);
}

absl::StatusOr<Job> DurableJobManager::Submit(const JobSpec& spec, const std::string& request_id) {
  VRP_RETURN_IF_ERROR(CheckRequestId(request_id));
  VRP_ASSIGN_OR_RETURN(std::optional<Job> known, store_->FindRequest(spec, request_id));
  if (known) return *std::move(known);
  VRP_RETURN_IF_ERROR(ValidateSpec(spec).status());
  VRP_ASSIGN_OR_RETURN(Job job, store_->Submit(spec, request_id, max_queued_));
  Wake();
  return job;
}

absl::StatusOr<Job> DurableJobManager::Get(std::string_view id) const {
  VRP_ASSIGN_OR_RETURN(JobRecord record, store_->Find(id));
  return std::move(record.job);
}

std::string DurableJobManager::TensorBoardFolder(std::string_view id) const {
  const std::string folder = folder_->TensorBoardPath(id);
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, error);
  return error ? folder : absolute.string();
}

absl::StatusOr<JobPage> DurableJobManager::List(int32_t page_size,
                                                const std::string& page_token) const {
  if (page_size < 0 || page_size > kMaxPageSize) {
    return absl::InvalidArgumentError(Concat("page_size: got ", page_size, ", wanted 1 to ",
                                             kMaxPageSize, ", or 0 for ", kDefaultPageSize));
  }
  VRP_ASSIGN_OR_RETURN(const int64_t before, ParsePageToken(page_token));
  const auto size = static_cast<size_t>(page_size == 0 ? kDefaultPageSize : page_size);
  // One more than asked for tells whether there is a next page.
  VRP_ASSIGN_OR_RETURN(std::vector<JobRecord> records,
                       store_->List(before, static_cast<int64_t>(size) + 1));
  JobPage page;
  if (records.size() > size) {
    records.resize(size);
    page.next_page_token = WritePageToken(records.back().number);
  }
  for (JobRecord& record : records) page.jobs.push_back(std::move(record.job));
  return page;
}

absl::StatusOr<Job> DurableJobManager::Cancel(std::string_view id) {
  VRP_ASSIGN_OR_RETURN(Job job, store_->Update(id, Durability::kFull, RequestCancel));
  absl::MutexLock lock(&mutex_);
  if (running_id_ == id) {
    running_cancel_->Cancel();
  } else {
    RemoveJobFolder(*folder_, job);
  }
  return job;
}

absl::StatusOr<std::shared_ptr<EventSubscription>> DurableJobManager::Watch(std::string_view id,
                                                                            int64_t from) {
  if (from < 0) return absl::InvalidArgumentError(Concat("from: got ", from, ", wanted 0 or more"));
  // Topic first: what is committed from here on reaches it, what was before is in the record.
  std::shared_ptr<EventTopic> topic = topics_->Get(id);
  VRP_ASSIGN_OR_RETURN(const JobRecord record, store_->Find(id));
  const Job& job = record.job;
  topic->Advance(job.last_sequence, IsFinal(job.state));
  const int64_t first = std::max<int64_t>(from, 1);
  if (first > job.last_sequence + 1) {
    return absl::OutOfRangeError(Concat("from: got ", from, ", wanted at most ",
                                        job.last_sequence + 1, ": trainingJobs/", id, " has ",
                                        job.last_sequence, " events"));
  }
  return std::make_shared<StoredEventSubscription>(store_, std::move(topic), std::string(id),
                                                   first);
}

}  // namespace vrp
