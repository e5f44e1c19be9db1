#include "core/jobs/job_book.h"

#include <algorithm>
#include <utility>

#include "core/base/page_size.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/state_marker.h"
#include "core/jobs/stored_event_subscription.h"
#include "core/jobs/submission.h"

namespace vrp {
namespace {

// Default and maximum number of points of a history.
constexpr int64_t kDefaultPoints = 1000;
constexpr int64_t kMaxPoints = 10'000;

}  // namespace

absl::StatusOr<std::shared_ptr<JobBook>> JobBook::Open(const std::string& state_directory,
                                                       const Clock* clock, int64_t quota_bytes,
                                                       JobListener on_state) {
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<StateFolder> folder, StateFolder::Open(state_directory));
  VRP_RETURN_IF_ERROR(CheckDatabaseNotLost(*folder));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<JobStore> store,
                       JobStore::Open(folder->DatabasePath(), clock));
  VRP_RETURN_IF_ERROR(WriteOrCheckMarker(*folder, *store, clock->Now()));
  return std::shared_ptr<JobBook>(
      new JobBook(std::move(folder), std::move(store), quota_bytes, std::move(on_state)));
}

JobBook::JobBook(std::unique_ptr<StateFolder> folder, std::shared_ptr<JobStore> store,
                 int64_t quota_bytes, JobListener on_state)
    : folder_(std::move(folder)),
      quota_(*folder_, quota_bytes),
      store_(std::move(store)),
      topics_(std::make_shared<EventTopics>()) {
  store_->SetListener(
      [topics = topics_, on_state = std::move(on_state)](const Job& job, bool moved) {
        topics->Advance(job);
        if (moved && on_state != nullptr) on_state(job);
      });
}

JobBook::~JobBook() { topics_->CloseAll(); }

absl::StatusOr<Job> JobBook::Get(JobKind kind, std::string_view id) const {
  VRP_ASSIGN_OR_RETURN(JobRecord record, store_->Find(kind, id));
  return std::move(record.job);
}

absl::StatusOr<JobPage> JobBook::List(JobKind kind, const JobFilter& filter) const {
  VRP_ASSIGN_OR_RETURN(const size_t size, PageSize(filter.page_size));
  VRP_RETURN_IF_ERROR(CheckLabels(filter.labels));
  VRP_ASSIGN_OR_RETURN(const int64_t before, ParsePageToken(filter.page_token));
  // Reads one job more than requested, to see whether there is a next page.
  VRP_ASSIGN_OR_RETURN(std::vector<JobRecord> records,
                       store_->List({.kind = kind,
                                     .before = before,
                                     .limit = static_cast<int64_t>(size) + 1,
                                     .labels = filter.labels}));
  JobPage page;
  if (records.size() > size) {
    records.resize(size);
    page.next_page_token = WritePageToken(records.back().number);
  }
  for (JobRecord& record : records) page.jobs.push_back(std::move(record.job));
  return page;
}

absl::StatusOr<History> JobBook::ReadHistory(JobKind kind, std::string_view id,
                                             HistoryRange range) const {
  if (range.max_points == 0) range.max_points = kDefaultPoints;
  if (range.max_points < 1 || range.max_points > kMaxPoints) {
    return absl::InvalidArgumentError(Concat("max_points: got ", range.max_points, ", wanted 1 to ",
                                             kMaxPoints, ", or 0 for ", kDefaultPoints));
  }
  if (range.first_step < 0 || range.last_step < 0) {
    return absl::InvalidArgumentError(Concat("from_step, to_step: got ", range.first_step, " and ",
                                             range.last_step, ", wanted 0 or more of both"));
  }
  VRP_RETURN_IF_ERROR(store_->Find(kind, id).status());
  return store_->ReadHistory(id, range);
}

absl::StatusOr<std::shared_ptr<EventSubscription>> JobBook::Watch(JobKind kind, std::string_view id,
                                                                  int64_t from) const {
  if (from < 0) {
    return absl::InvalidArgumentError(Concat("from_sequence: got ", from, ", wanted 0 or more"));
  }
  // Gets the topic before the record: the topic gets all later commits, and the record has all
  // earlier ones.
  std::shared_ptr<EventTopic> topic = topics_->Get(id);
  VRP_ASSIGN_OR_RETURN(const JobRecord record, store_->Find(kind, id));
  const Job& job = record.job;
  topic->Advance(job.last_sequence, IsFinal(job.state));
  const int64_t first = std::max<int64_t>(from, 1);
  if (first > job.last_sequence + 1) {
    return absl::OutOfRangeError(Concat("from_sequence: got ", from, ", wanted at most ",
                                        job.last_sequence + 1, ": ", ResourceName(job), " has ",
                                        job.last_sequence, " events"));
  }
  return std::make_shared<StoredEventSubscription>(store_, std::move(topic), job, first);
}

}  // namespace vrp
