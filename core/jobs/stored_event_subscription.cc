#include "core/jobs/stored_event_subscription.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr int64_t kMaxEventsAtOnce = 1000;

}  // namespace

StoredEventSubscription::StoredEventSubscription(std::shared_ptr<const JobStore> store,
                                                 std::shared_ptr<EventTopic> topic,
                                                 std::string job_name, int64_t from)
    : store_(std::move(store)),
      topic_(std::move(topic)),
      job_name_(std::move(job_name)),
      job_id_(job_name_.substr(job_name_.find('/') + 1)),
      next_(from) {}

StoredEventSubscription::~StoredEventSubscription() { topic_->Forget(this); }

void StoredEventSubscription::NotifyWhenReady(std::function<void()> on_ready) {
  topic_->NotifyAt(next_.load(), this, std::move(on_ready));
}

absl::StatusOr<std::vector<JobEvent>> StoredEventSubscription::Next(int64_t limit) {
  if (limit < 1)
    return absl::InvalidArgumentError(Concat("limit: got ", limit, ", wanted 1 or more"));
  absl::MutexLock lock(&reading_);
  const int64_t next = next_.load();
  const EventTopic::Position position = topic_->position();
  if (next > position.last) {
    if (position.final || !position.closed) return std::vector<JobEvent>();
    return absl::UnavailableError(
        Concat(job_name_, ": the daemon is stopping; watch again from sequence number ", next));
  }
  VRP_ASSIGN_OR_RETURN(std::vector<JobEvent> events,
                       store_->Events(job_id_, {.first = next,
                                                .last = position.last,
                                                .limit = std::min(limit, kMaxEventsAtOnce)}));
  if (events.empty() || events.front().sequence != next) {
    return absl::DataLossError(Concat(job_name_, ": event ", next, " is missing in the store"));
  }
  next_.store(next + static_cast<int64_t>(events.size()));
  return events;
}

bool StoredEventSubscription::AtEnd() const {
  const EventTopic::Position position = topic_->position();
  return position.final && next_.load() > position.last;
}

}  // namespace vrp
