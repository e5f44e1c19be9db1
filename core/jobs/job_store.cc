#include "core/jobs/job_store.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/ids.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/schema.h"
#include "core/jobs/solve_rows.h"

namespace vrp {
namespace {

// Maximum size of a database that is verified at the start. Damage in a larger one is found when
// the damaged page is read.
constexpr uintmax_t kMaxCheckedBytes = uintmax_t{256} << 20;

// Number of events of a job after which its log is checked for thinning.
constexpr int64_t kThinEvery = 512;

constexpr int64_t kQueuePage = 64;  // jobs that are read together in search of a startable one

bool IsTimeToThin(const std::vector<JobEvent>& added) {
  if (added.empty()) return false;
  return (added.front().sequence - 1) / kThinEvery != added.back().sequence / kThinEvery;
}

Job Draft(const JobSpec& spec, std::string_view request_id) {
  Job job;
  job.request_id = std::string(request_id);
  job.spec = spec;
  return job;
}

Job Draft(const SolveSpec& spec, std::string_view request_id) {
  Job job;
  job.kind = spec.kind;
  job.request_id = std::string(request_id);
  job.solve.summary = spec.summary;
  job.solve.dataset = spec.dataset;
  job.solve.request_sha256 = Sha256Hex(spec.request);
  job.solve.budget = spec.budget;
  return job;
}

absl::Status NoSuchJob(JobKind kind, std::string_view id) {
  return absl::NotFoundError(Concat(JobResourceName(kind, Escaped(id)), ": no such job"));
}

absl::StatusOr<std::optional<Job>> CheckSameRequest(absl::StatusOr<std::optional<JobRecord>> found,
                                                    const Job& draft) {
  if (!found.ok()) return found.status();
  if (!found->has_value()) return std::nullopt;
  Job& job = (*found)->job;
  if (job.kind == draft.kind && job.spec == draft.spec &&
      job.solve.request_sha256 == draft.solve.request_sha256) {
    return std::move(job);
  }
  return absl::AlreadyExistsError(Concat("request_id: got ", Quoted(job.request_id),
                                         " again with another specification; ", ResourceName(job),
                                         " has this id; use a new request_id"));
}

// Returns the first queued job of the kind for which `decide` returns kStart; nullopt if there is
// none.
absl::StatusOr<std::optional<JobRecord>> FindStartable(
    Database& database, JobKind kind, absl::FunctionRef<QueueDecision(const JobRecord&)> decide) {
  QueueRange range{.first = 0, .limit = 1};  // usually the first job may start
  while (true) {
    VRP_ASSIGN_OR_RETURN(std::vector<JobRecord> records, ReadQueuedRows(database, kind, range));
    for (JobRecord& record : records) {
      const QueueDecision decision = decide(record);
      if (decision == QueueDecision::kStart) return std::move(record);
      if (decision == QueueDecision::kStop) return std::nullopt;
    }
    if (static_cast<int64_t>(records.size()) < range.limit) return std::nullopt;
    range = {.first = range.first + range.limit, .limit = kQueuePage};
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> JobStore::Open(const std::string& path,
                                                         const Clock* clock) {
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<Database> writer, Database::Open(path));
  std::error_code error;
  if (std::filesystem::file_size(path, error) <= kMaxCheckedBytes)
    VRP_RETURN_IF_ERROR(writer->Check());
  VRP_RETURN_IF_ERROR(Migrate(*writer, JobSchemaMigrations()));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<Database> reader, Database::Open(path));
  return std::unique_ptr<JobStore>(new JobStore(std::move(writer), std::move(reader), clock));
}

JobStore::JobStore(std::unique_ptr<Database> writer, std::unique_ptr<Database> reader,
                   const Clock* clock)
    : clock_(*clock), writer_(std::move(writer)), reader_(std::move(reader)) {}

absl::StatusOr<std::string> JobStore::Identify(const std::string& new_id) {
  absl::MutexLock lock(&write_mutex_);
  return IdentifyDatabase(*writer_, new_id);
}

absl::StatusOr<std::optional<Job>> JobStore::FindSame(const Job& draft) const {
  if (draft.request_id.empty()) return std::nullopt;
  absl::MutexLock lock(&read_mutex_);
  return CheckSameRequest(FindJobRowByRequest(*reader_, draft.request_id), draft);
}

absl::StatusOr<std::optional<Job>> JobStore::FindRequest(const JobSpec& spec,
                                                         std::string_view request_id) const {
  return FindSame(Draft(spec, request_id));
}

absl::StatusOr<std::optional<Job>> JobStore::FindRequest(const SolveSpec& spec,
                                                         std::string_view request_id) const {
  return FindSame(Draft(spec, request_id));
}

absl::StatusOr<Job> JobStore::Submit(const JobSpec& spec, const std::string& request_id,
                                     int32_t max_queued) {
  return Submit(Draft(spec, request_id), nullptr, max_queued);
}

absl::StatusOr<Job> JobStore::Submit(const SolveSpec& spec, const std::string& request_id,
                                     int32_t max_queued) {
  return Submit(Draft(spec, request_id), &spec, max_queued);
}

absl::StatusOr<Job> JobStore::Submit(Job draft, const SolveSpec* contents, int32_t max_queued) {
  VRP_ASSIGN_OR_RETURN(Submission submitted, Insert(std::move(draft), contents, max_queued));
  if (submitted.is_new) Notify(submitted.job, /*moved=*/true);
  return std::move(submitted.job);
}

absl::StatusOr<JobStore::Submission> JobStore::Insert(Job draft, const SolveSpec* contents,
                                                      int32_t max_queued) {
  absl::MutexLock lock(&write_mutex_);
  VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, Durability::kFull));
  if (!draft.request_id.empty()) {
    VRP_ASSIGN_OR_RETURN(std::optional<Job> known,
                         CheckSameRequest(FindJobRowByRequest(*writer_, draft.request_id), draft));
    if (known) return Submission{.job = *std::move(known)};
  }
  VRP_ASSIGN_OR_RETURN(const int64_t waiting, CountWaitingRows(*writer_, draft.kind));
  if (waiting >= max_queued) {
    return absl::ResourceExhaustedError(Concat(
        "the queue is full: ", waiting, " jobs wait, including paused ones, and the limit is ",
        max_queued, "; try again later, or cancel some"));
  }
  JobRecord record;
  record.job = std::move(draft);
  record.job.id = NewId();
  record.job.created = clock_.Now();
  JobChange change(std::move(record), clock_.Now());
  change.RecordSubmission();
  VRP_ASSIGN_OR_RETURN(const int64_t number, InsertJobRow(*writer_, change.record()));
  for (const JobEvent& event : change.events())
    VRP_RETURN_IF_ERROR(InsertEventRow(*writer_, number, event));
  if (contents != nullptr) {
    VRP_RETURN_IF_ERROR(WriteContentRow(*writer_, number, SolveContent::kRequest,
                                        Concat(contents->request, contents->attachment)));
  }
  Job job = change.record().job;
  VRP_ASSIGN_OR_RETURN(job.queue_position, ReadQueuePosition(*writer_, number));
  VRP_RETURN_IF_ERROR(transaction.Commit());
  return Submission{.job = std::move(job), .is_new = true};
}

absl::StatusOr<JobRecord> JobStore::Find(JobKind kind, std::string_view id) const {
  absl::MutexLock lock(&read_mutex_);
  VRP_ASSIGN_OR_RETURN(std::optional<JobRecord> record, FindJobRow(*reader_, id));
  if (!record || record->job.kind != kind) return NoSuchJob(kind, id);
  return *std::move(record);
}

absl::StatusOr<std::vector<JobRecord>> JobStore::List(const JobRange& range) const {
  absl::MutexLock lock(&read_mutex_);
  return ReadJobRows(*reader_, range);
}

absl::StatusOr<std::vector<JobRecord>> JobStore::ListActive(JobKind kind) const {
  absl::MutexLock lock(&read_mutex_);
  return ReadActiveJobRows(*reader_, kind);
}

absl::StatusOr<std::vector<Job>> JobStore::ListTrials(std::string_view sweep) const {
  std::vector<Job> trials;
  absl::MutexLock lock(&read_mutex_);
  VRP_ASSIGN_OR_RETURN(std::vector<JobRecord> records, ReadTrialRows(*reader_, sweep));
  for (JobRecord& record : records) trials.push_back(std::move(record.job));
  return trials;
}

absl::StatusOr<std::vector<JobCount>> JobStore::Count() const {
  absl::MutexLock lock(&read_mutex_);
  return CountJobRows(*reader_);
}

absl::Status JobStore::Delete(JobKind kind, std::string_view id) {
  absl::MutexLock lock(&write_mutex_);
  VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, Durability::kFull));
  VRP_ASSIGN_OR_RETURN(const std::optional<JobRecord> record, FindJobRow(*writer_, id));
  if (!record || record->job.kind != kind) return NoSuchJob(kind, id);
  if (!IsFinal(record->job.state)) {
    return absl::FailedPreconditionError(Concat(ResourceName(record->job), ": is ",
                                                JobStateName(record->job.state),
                                                "; only an ended job can be deleted"));
  }
  VRP_RETURN_IF_ERROR(DeleteJobRows(*writer_, record->number));
  if (kind == JobKind::kTraining) VRP_RETURN_IF_ERROR(AddDeletionRow(*writer_, id));
  return transaction.Commit();
}

absl::Status JobStore::EraseDeletedRows() {
  absl::MutexLock write_lock(&write_mutex_);
  // A reader would keep the log.
  absl::MutexLock read_lock(&read_mutex_);
  return writer_->Execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

absl::StatusOr<std::vector<std::string>> JobStore::ListDeletions() const {
  absl::MutexLock lock(&read_mutex_);
  return ReadDeletionRows(*reader_);
}

absl::Status JobStore::ForgetDeletion(std::string_view id) {
  absl::MutexLock lock(&write_mutex_);
  VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, Durability::kNormal));
  VRP_RETURN_IF_ERROR(RemoveDeletionRow(*writer_, id));
  return transaction.Commit();
}

absl::StatusOr<std::vector<std::string>> JobStore::ReadParts(std::string_view id, int64_t first,
                                                             int64_t last) const {
  absl::MutexLock lock(&read_mutex_);
  return ReadPartRows(*reader_, id, first, last);
}

absl::StatusOr<std::optional<std::string>> JobStore::ReadContent(std::string_view id,
                                                                 SolveContent kind) const {
  absl::MutexLock lock(&read_mutex_);
  return ReadContentRow(*reader_, id, kind);
}

absl::StatusOr<std::optional<Job>> JobStore::StartNext(
    JobKind kind, absl::FunctionRef<QueueDecision(const JobRecord&)> decide) {
  Job job;
  {
    absl::MutexLock lock(&write_mutex_);
    VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, Durability::kFull));
    VRP_ASSIGN_OR_RETURN(std::optional<JobRecord> record, FindStartable(*writer_, kind, decide));
    if (!record) return std::nullopt;
    JobChange change(*std::move(record), clock_.Now());
    VRP_RETURN_IF_ERROR(change.Start());
    VRP_ASSIGN_OR_RETURN(job, Write(change));
    VRP_RETURN_IF_ERROR(transaction.Commit());
  }
  Notify(job, /*moved=*/true);
  return job;
}

absl::StatusOr<Job> JobStore::Update(std::string_view id, Durability durability,
                                     absl::FunctionRef<absl::Status(JobChange&)> change) {
  Job job;
  JobState before = JobState::kQueued;
  {
    absl::MutexLock lock(&write_mutex_);
    VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, durability));
    VRP_ASSIGN_OR_RETURN(std::optional<JobRecord> record, FindJobRow(*writer_, id));
    if (!record) return absl::NotFoundError(Concat(Escaped(id), ": no such job"));
    before = record->job.state;
    JobChange draft(*std::move(record), clock_.Now());
    VRP_RETURN_IF_ERROR(change(draft));
    if (draft.empty()) return draft.record().job;
    if (IsFinal(before)) {
      return absl::FailedPreconditionError(Concat(ResourceName(draft.record().job), ": is ",
                                                  JobStateName(before),
                                                  "; the job can no longer change"));
    }
    VRP_ASSIGN_OR_RETURN(job, Write(draft));
    VRP_RETURN_IF_ERROR(transaction.Commit());
  }
  Notify(job, job.state != before);
  return job;
}

absl::StatusOr<Job> JobStore::Write(const JobChange& change) {
  const int64_t number = change.record().number;
  VRP_RETURN_IF_ERROR(UpdateJobRow(*writer_, change.record()));
  for (const JobEvent& event : change.events()) {
    VRP_RETURN_IF_ERROR(InsertEventRow(*writer_, number, event));
  }
  for (const auto& [kind, content] : change.contents()) {
    VRP_RETURN_IF_ERROR(WriteContentRow(*writer_, number, kind, content));
  }
  for (const auto& [part, content] : change.parts()) {
    VRP_RETURN_IF_ERROR(InsertPartRow(*writer_, number, part, content));
  }
  Job job = change.record().job;
  const bool may_be_long = job.kind == JobKind::kTraining || job.kind == JobKind::kSweep;
  if (may_be_long && IsTimeToThin(change.events())) {
    VRP_RETURN_IF_ERROR(ThinEventRows(*writer_, number, EventLimits{}));
  }
  if (job.state == JobState::kQueued) {
    VRP_ASSIGN_OR_RETURN(job.queue_position, ReadQueuePosition(*writer_, number));
  }
  return job;
}

void JobStore::Notify(const Job& job, bool moved) const {
  if (listener_) listener_(job, moved);
}

absl::StatusOr<std::optional<StepTimes>> JobStore::FindStepTimes(std::string_view key) const {
  absl::MutexLock lock(&read_mutex_);
  return FindStepTimesRow(*reader_, key);
}

absl::Status JobStore::SaveStepTimes(std::string_view key, const StepTimes& times) {
  absl::MutexLock lock(&write_mutex_);
  VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, Durability::kNormal));
  VRP_RETURN_IF_ERROR(WriteStepTimesRow(*writer_, key, times));
  return transaction.Commit();
}

absl::StatusOr<std::vector<JobEvent>> JobStore::ReadEvents(std::string_view job_id,
                                                           const EventRange& range) const {
  absl::MutexLock lock(&read_mutex_);
  return ReadEventRows(*reader_, job_id, range);
}

absl::StatusOr<History> JobStore::ReadHistory(std::string_view job_id,
                                              const HistoryRange& range) const {
  absl::MutexLock lock(&read_mutex_);
  return ReadHistoryRows(*reader_, job_id, range);
}

}  // namespace vrp
