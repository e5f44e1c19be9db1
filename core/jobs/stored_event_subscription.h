// A subscription that reads a job's event log from the store.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/jobs/event_topic.h"
#include "core/jobs/job_book.h"
#include "core/jobs/job_store.h"

namespace vrp {

// A subscription to stored events. Thread-safe. May outlive its book.
class StoredEventSubscription final : public EventSubscription {
 public:
  // Follows the log from event `from` on. `topic` is the job's topic and already has the newest
  // event.
  StoredEventSubscription(std::shared_ptr<const JobStore> store, std::shared_ptr<EventTopic> topic,
                          const Job& job, int64_t from);
  ~StoredEventSubscription() override;

  void NotifyWhenReady(std::function<void()> on_ready) override;
  absl::StatusOr<std::vector<JobEvent>> Next(int64_t limit) override;
  bool AtEnd() const override;

 private:
  // Checks that the events are consecutive from `next` on. Returns kDataLoss if they are not, and
  // kNotFound if the job was deleted.
  absl::Status CheckGapFree(const std::vector<JobEvent>& events, int64_t next) const;

  const std::shared_ptr<const JobStore> store_;
  const std::shared_ptr<EventTopic> topic_;
  const std::string job_name_;
  const JobKind kind_;
  const std::string job_id_;
  absl::Mutex reading_;        // held during a call of Next
  std::atomic<int64_t> next_;  // sequence number; written under reading_
};

}  // namespace vrp
