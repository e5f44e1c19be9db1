// The jobs of a state folder: their store and the followers of their events.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/base/clock.h"
#include "core/jobs/event_topic.h"
#include "core/jobs/job.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"
#include "core/jobs/state_quota.h"

namespace vrp {

// A follower of one job's event log. Returns events in order and without gaps. Thread-safe. May
// outlive the book.
class EventSubscription {
 public:
  virtual ~EventSubscription() = default;
  // Calls `on_ready` once (from any thread, possibly at once) when Next() may return more or fail.
  // Never blocks. After the subscription is destroyed, only a call that became due before may still
  // run.
  virtual void NotifyWhenReady(std::function<void()> on_ready) = 0;
  // Returns up to `limit` events (at most 1,000, not counting kCompacted) after those of the last
  // call. Returns an empty list if there are no further events yet. Reads the store, so a slow
  // reader costs no memory and never blocks a job. Returns kUnavailable if all events were returned
  // and the daemon stops before the job is final. Returns kInvalidArgument if `limit` is less than
  // 1, kNotFound if the job was deleted, and kDataLoss if events are missing.
  virtual absl::StatusOr<std::vector<JobEvent>> Next(int64_t limit) = 0;
  // Whether the job is final and every event was returned.
  virtual bool AtEnd() const = 0;
};

// A filter and page of a list.
struct JobFilter {
  int32_t page_size = 0;        // 1 to 1,000; 0 means 50
  std::string page_token = {};  // token from the previous page; empty for the first page
  std::map<std::string, std::string> labels = {};  // each job must have all of them
};

// A page of a list.
struct JobPage {
  std::vector<Job> jobs;        // newest first
  std::string next_page_token;  // empty on the last page
};

// Called once a new job or a change of a job's state is on the disk, from the thread that wrote the
// change. Must return quickly.
using JobListener = std::function<void(const Job& job)>;

// The jobs of one state folder. Thread-safe; blocks on the disk. Errors of the store:
// kResourceExhausted (disk full), kUnavailable, kDataLoss (damaged). All but those of damaged
// progress name the file.
class JobBook {
 public:
  // Opens or creates the folder. `clock` must outlive the book. `quota_bytes` is the limit of
  // StateQuota. Returns kFailedPrecondition if another daemon uses the folder, or a restore into
  // the folder did not finish. Also returns kFailedPrecondition if the store cannot be written, has
  // a newer schema or belongs to another folder. Returns kDataLoss if the store is damaged or lost
  // (see state_marker.h).
  static absl::StatusOr<std::shared_ptr<JobBook>> Open(const std::string& state_directory,
                                                       const Clock* clock, int64_t quota_bytes = 0,
                                                       JobListener on_state = nullptr);
  // Wakes the subscriptions that still follow a job.
  ~JobBook();
  JobBook(const JobBook&) = delete;
  JobBook& operator=(const JobBook&) = delete;

  JobStore& store() const { return *store_; }
  const StateFolder& folder() const { return *folder_; }
  const StateQuota& quota() const { return quota_; }
  // Returns the lock to hold while a job that reads datasets is stored, and while a dataset is
  // deleted, so that no stored job reads a deleted dataset.
  absl::Mutex& dataset_uses() const { return dataset_uses_; }

  // Returns a job, or kNotFound.
  absl::StatusOr<Job> Get(JobKind kind, std::string_view id) const;
  // Returns a page of jobs. Returns kInvalidArgument if the page size is out of range, a label is
  // invalid, or List did not return the token.
  absl::StatusOr<JobPage> List(JobKind kind, const JobFilter& filter) const;
  // Returns at most range.max_points points: 1 to 10,000, or 0 for 1,000. Returns kInvalidArgument
  // for other numbers and for negative steps, and kNotFound if there is no such job.
  absl::StatusOr<History> ReadHistory(JobKind kind, std::string_view id, HistoryRange range) const;
  // Follows events from sequence number `from` on; 0 and 1 mean the first. Returns kInvalidArgument
  // if `from` is negative, kNotFound if there is no such job, and kOutOfRange if `from` exceeds the
  // last event + 1.
  absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(JobKind kind, std::string_view id,
                                                           int64_t from) const;

 private:
  JobBook(std::unique_ptr<StateFolder> folder, std::shared_ptr<JobStore> store, int64_t quota_bytes,
          JobListener on_state);

  const std::unique_ptr<StateFolder> folder_;
  mutable absl::Mutex dataset_uses_;
  const StateQuota quota_;
  const std::shared_ptr<JobStore> store_;
  const std::shared_ptr<EventTopics> topics_;
};

}  // namespace vrp
