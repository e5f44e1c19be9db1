// The jobs of all kinds that a state folder keeps: their store, and who follows their events.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/clock.h"
#include "core/jobs/event_topic.h"
#include "core/jobs/job.h"
#include "core/jobs/job_store.h"
#include "core/jobs/state_folder.h"
#include "core/jobs/state_quota.h"

namespace vrp {

// Follows one job's event log, in order and without gaps. Thread-safe. May outlive the book.
class EventSubscription {
 public:
  virtual ~EventSubscription() = default;
  // Calls `on_ready` once (from any thread, possibly at once) when Next() may return more, or fail.
  // Never blocks. Not called any more after the subscription has gone, except for a call that has
  // begun.
  virtual void NotifyWhenReady(std::function<void()> on_ready) = 0;
  // Up to `limit` events (1,000 at most, but for those of kind kCompacted) from where the last call
  // ended; empty: none yet. Reads the store, so a slow reader costs memory nowhere and never blocks
  // a job. kUnavailable: all events were handed out, and the daemon has stopped before the job was
  // final. kNotFound: the job was deleted.
  virtual absl::StatusOr<std::vector<JobEvent>> Next(int64_t limit) = 0;
  // True when the job is final and every event was handed out.
  virtual bool AtEnd() const = 0;
};

// Which jobs a list has.
struct JobFilter {
  int32_t page_size = 0;                           // 1 to 1,000; 0: 50
  std::string page_token = {};                     // of the page before; empty: the first
  std::map<std::string, std::string> labels = {};  // that they all have
};

struct JobPage {
  std::vector<Job> jobs;        // newest first
  std::string next_page_token;  // empty: the last page
};

// Told of each job that is new or in another state than before, once that is on the disk, by the
// thread that wrote it. To be quick.
using JobListener = std::function<void(const Job& job)>;

// Thread-safe; blocks on the disk. Errors of the store name its file: kResourceExhausted (disk
// full), kUnavailable, kDataLoss (damaged).
class JobBook {
 public:
  // kFailedPrecondition: another daemon has the folder, its schema is newer, or it cannot be
  // written; kDataLoss: the store is damaged or lost (see state_marker.h).
  // `quota_bytes`: see StateQuota.
  static absl::StatusOr<std::shared_ptr<JobBook>> Open(const std::string& state_directory,
                                                       const Clock* clock, int64_t quota_bytes = 0,
                                                       JobListener on_state = nullptr);
  // Subscriptions that still follow a job are woken.
  ~JobBook();
  JobBook(const JobBook&) = delete;
  JobBook& operator=(const JobBook&) = delete;

  JobStore& store() const { return *store_; }
  const StateFolder& folder() const { return *folder_; }
  const StateQuota& quota() const { return quota_; }

  absl::StatusOr<Job> Get(JobKind kind, std::string_view id) const;
  // kInvalidArgument for a page size out of range, or a token that List did not give.
  absl::StatusOr<JobPage> List(JobKind kind, const JobFilter& filter) const;
  // 1 to 10,000 points (0: 1,000). kInvalidArgument for others, and for steps below 0.
  absl::StatusOr<History> ReadHistory(JobKind kind, std::string_view id, HistoryRange range) const;
  // From sequence number `from` on (0 and 1: the first). kOutOfRange: beyond the last event + 1.
  absl::StatusOr<std::shared_ptr<EventSubscription>> Watch(JobKind kind, std::string_view id,
                                                           int64_t from) const;

 private:
  JobBook(std::unique_ptr<StateFolder> folder, std::shared_ptr<JobStore> store, int64_t quota_bytes,
          JobListener on_state);

  const std::unique_ptr<StateFolder> folder_;
  const StateQuota quota_;
  const std::shared_ptr<JobStore> store_;
  const std::shared_ptr<EventTopics> topics_;
};

}  // namespace vrp
