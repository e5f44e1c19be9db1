// Streams the event log of a job, without gRPC.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/jobs/job_book.h"
#include "server/service/stream_source.h"

namespace vrp {

// A source of the events of one job, converted to messages.
template <typename Response>
class EventSource final : public StreamSource<Response> {
 public:
  using Convert = std::function<Response(const JobEvent&)>;
  EventSource(std::shared_ptr<EventSubscription> events, Convert convert)
      : events_(std::move(events)), convert_(std::move(convert)) {}

  absl::StatusOr<std::vector<Response>> Next() override {
    VRP_ASSIGN_OR_RETURN(const std::vector<JobEvent> events, events_->Next(kEventsAtOnce));
    std::vector<Response> messages;
    messages.reserve(events.size());
    for (const JobEvent& event : events) messages.push_back(convert_(event));
    return messages;
  }
  bool AtEnd() const override { return events_->AtEnd(); }
  void NotifyWhenReady(std::function<void()> on_ready) override {
    events_->NotifyWhenReady(std::move(on_ready));
  }

 private:
  static constexpr int64_t kEventsAtOnce = 64;

  const std::shared_ptr<EventSubscription> events_;
  const Convert convert_;
};

// Adds the queue position of a queued job to its newest event. `get` is () -> absl::StatusOr<Job>.
// SetQueuePosition calls `get` only for events with the state `queued`.
template <typename Response, typename Get>
void SetQueuePosition(const JobEvent& event, Get get, Response& message) {
  if (event.state != JobState::kQueued) return;
  const absl::StatusOr<Job> job = get();
  if (job.ok() && job->last_sequence == event.sequence) {
    message.set_queue_position(static_cast<int32_t>(job->queue_position));
  }
}

}  // namespace vrp
