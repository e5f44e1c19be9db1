#include "core/jobs/job_store.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/ids.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/schema.h"

namespace vrp {
namespace {

// Larger files are not read through at the start; what is damaged in them is found when it is used.
constexpr uintmax_t kMaxCheckedBytes = uintmax_t{256} << 20;

absl::StatusOr<std::optional<Job>> SameRequest(absl::StatusOr<std::optional<JobRecord>> found,
                                               const JobSpec& spec) {
  if (!found.ok()) return found.status();
  if (!found->has_value()) return std::nullopt;
  Job& job = (*found)->job;
  if (job.spec == spec) return std::move(job);
  return absl::AlreadyExistsError(Concat("request_id: got ", Quoted(job.request_id),
                                         " again with another specification; ", "trainingJobs/",
                                         job.id, " has it; take a fresh one"));
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

absl::StatusOr<std::optional<Job>> JobStore::FindRequest(const JobSpec& spec,
                                                         std::string_view request_id) const {
  if (request_id.empty()) return std::nullopt;
  absl::MutexLock lock(&read_mutex_);
  return SameRequest(FindJobRowByRequest(*reader_, request_id), spec);
}

absl::StatusOr<Job> JobStore::Submit(const JobSpec& spec, const std::string& request_id,
                                     int32_t max_queued) {
  VRP_ASSIGN_OR_RETURN(Job job, Insert(spec, request_id, max_queued));
  Tell(job);
  return job;
}

absl::StatusOr<Job> JobStore::Insert(const JobSpec& spec, const std::string& request_id,
                                     int32_t max_queued) {
  absl::MutexLock lock(&write_mutex_);
  VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, Durability::kFull));
  if (!request_id.empty()) {
    VRP_ASSIGN_OR_RETURN(std::optional<Job> known,
                         SameRequest(FindJobRowByRequest(*writer_, request_id), spec));
    if (known) return *std::move(known);
  }
  VRP_ASSIGN_OR_RETURN(const int64_t queued, CountQueuedRows(*writer_));
  if (queued >= max_queued) {
    return absl::ResourceExhaustedError(Concat("the queue is full: ", queued, " jobs wait, of ",
                                               max_queued, " at most; try again later"));
  }
  JobRecord record;
  record.job.id = NewId();
  record.job.request_id = request_id;
  record.job.spec = spec;
  record.job.created = clock_.Now();
  JobChange change(std::move(record), clock_.Now());
  change.Submitted();
  VRP_ASSIGN_OR_RETURN(const int64_t number, InsertJobRow(*writer_, change.record()));
  for (const JobEvent& event : change.events())
    VRP_RETURN_IF_ERROR(InsertEventRow(*writer_, number, event));
  VRP_RETURN_IF_ERROR(transaction.Commit());
  return change.record().job;
}

absl::StatusOr<JobRecord> JobStore::Find(std::string_view id) const {
  absl::MutexLock lock(&read_mutex_);
  VRP_ASSIGN_OR_RETURN(std::optional<JobRecord> record, FindJobRow(*reader_, id));
  if (!record) return absl::NotFoundError(Concat("trainingJobs/", Escaped(id), ": no such job"));
  return *std::move(record);
}

absl::StatusOr<std::vector<JobRecord>> JobStore::List(int64_t before, int64_t limit) const {
  absl::MutexLock lock(&read_mutex_);
  return ReadJobRows(*reader_, before, limit);
}

absl::StatusOr<std::vector<JobRecord>> JobStore::ListActive() const {
  absl::MutexLock lock(&read_mutex_);
  return ReadActiveJobRows(*reader_);
}

absl::StatusOr<std::optional<Job>> JobStore::StartNext() {
  Job job;
  {
    absl::MutexLock lock(&write_mutex_);
    VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, Durability::kFull));
    VRP_ASSIGN_OR_RETURN(std::optional<JobRecord> record, FindNextQueuedRow(*writer_));
    if (!record) return std::nullopt;
    JobChange change(*std::move(record), clock_.Now());
    VRP_RETURN_IF_ERROR(change.Start());
    VRP_RETURN_IF_ERROR(Write(change));
    VRP_RETURN_IF_ERROR(transaction.Commit());
    job = change.record().job;
  }
  Tell(job);
  return job;
}

absl::StatusOr<Job> JobStore::Update(std::string_view id, Durability durability,
                                     absl::FunctionRef<absl::Status(JobChange&)> change) {
  Job job;
  {
    absl::MutexLock lock(&write_mutex_);
    VRP_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*writer_, durability));
    VRP_ASSIGN_OR_RETURN(std::optional<JobRecord> record, FindJobRow(*writer_, id));
    if (!record) return absl::NotFoundError(Concat("trainingJobs/", Escaped(id), ": no such job"));
    const JobState before = record->job.state;
    JobChange draft(*std::move(record), clock_.Now());
    VRP_RETURN_IF_ERROR(change(draft));
    if (draft.events().empty()) return draft.record().job;
    if (IsFinal(before)) {
      return absl::FailedPreconditionError(Concat(
          "trainingJobs/", id, ": is ", JobStateName(before), "; nothing happens to it any more"));
    }
    VRP_RETURN_IF_ERROR(Write(draft));
    VRP_RETURN_IF_ERROR(transaction.Commit());
    job = draft.record().job;
  }
  Tell(job);
  return job;
}

absl::Status JobStore::Write(const JobChange& change) {
  VRP_RETURN_IF_ERROR(UpdateJobRow(*writer_, change.record()));
  for (const JobEvent& event : change.events()) {
    VRP_RETURN_IF_ERROR(InsertEventRow(*writer_, change.record().number, event));
  }
  return absl::OkStatus();
}

void JobStore::Tell(const Job& job) const {
  if (listener_) listener_(job);
}

absl::StatusOr<std::vector<JobEvent>> JobStore::Events(std::string_view job_id,
                                                       const EventRange& range) const {
  absl::MutexLock lock(&read_mutex_);
  return ReadEventRows(*reader_, job_id, range);
}

}  // namespace vrp
