#include "core/jobs/stored_event_subscription.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr int64_t kMaxEventsAtOnce = 1000;  // maximum number of events that Next returns

int64_t FirstSequence(const JobEvent& event) {
  return event.type == EventType::kCompacted ? event.first_sequence : event.sequence;
}

}  // namespace

StoredEventSubscription::StoredEventSubscription(std::shared_ptr<const JobStore> store,
                                                 std::shared_ptr<EventTopic> topic, const Job& job,
                                                 int64_t from)
    : store_(std::move(store)),
      topic_(std::move(topic)),
      job_name_(ResourceName(job)),
      kind_(job.kind),
      job_id_(job.id),
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
  // Reads beyond position.last, which may be outdated. The event at position.last may have been
  // thinned.
  VRP_ASSIGN_OR_RETURN(std::vector<JobEvent> events,
                       store_->ReadEvents(job_id_, {.first = next,
                                                    .last = std::numeric_limits<int64_t>::max(),
                                                    .limit = std::min(limit, kMaxEventsAtOnce)}));
  VRP_RETURN_IF_ERROR(CheckGapFree(events, next));
  next_.store(events.back().sequence + 1);
  return events;
}

absl::Status StoredEventSubscription::CheckGapFree(const std::vector<JobEvent>& events,
                                                   int64_t next) const {
  if (events.empty() && absl::IsNotFound(store_->Find(kind_, job_id_).status())) {
    return absl::NotFoundError(Concat(job_name_, ": the job was deleted"));
  }
  for (const JobEvent& event : events) {
    if (FirstSequence(event) != next) break;
    next = event.sequence + 1;
  }
  if (!events.empty() && next == events.back().sequence + 1) return absl::OkStatus();
  return absl::DataLossError(
      Concat(job_name_, ": event ", next,
             " is missing in the store; the job database is damaged: restore a copy of it"));
}

bool StoredEventSubscription::AtEnd() const {
  const EventTopic::Position position = topic_->position();
  return position.final && next_.load() > position.last;
}

}  // namespace vrp
