#include "core/jobs/event_topic.h"

#include <algorithm>
#include <utility>

namespace vrp {

EventTopic::Position EventTopic::position() const {
  absl::MutexLock lock(&mutex_);
  return position_;
}

void EventTopic::Advance(int64_t last, bool final) {
  Waiting ready;
  {
    absl::MutexLock lock(&mutex_);
    if (last <= position_.last) return;
    position_.last = last;
    position_.final = final;
    ready.swap(waiting_);
  }
  Wake(ready);
}

void EventTopic::Close() {
  Waiting ready;
  {
    absl::MutexLock lock(&mutex_);
    position_.closed = true;
    ready.swap(waiting_);
  }
  Wake(ready);
}

void EventTopic::Wake(const Waiting& waiting) {
  for (const auto& [follower, callbacks] : waiting) {
    for (const std::function<void()>& callback : callbacks) callback();
  }
}

void EventTopic::NotifyAt(int64_t next, const void* follower, std::function<void()> on_ready) {
  {
    absl::MutexLock lock(&mutex_);
    if (next > position_.last && !position_.final && !position_.closed) {
      waiting_[follower].push_back(std::move(on_ready));
      return;
    }
  }
  on_ready();
}

void EventTopic::Forget(const void* follower) {
  Waiting::node_type dropped;  // destroys its captures without the lock
  absl::MutexLock lock(&mutex_);
  dropped = waiting_.extract(follower);
}

std::shared_ptr<EventTopic> EventTopics::Get(std::string_view job_id) {
  absl::MutexLock lock(&mutex_);
  const auto found = topics_.find(job_id);
  if (found != topics_.end()) {
    if (std::shared_ptr<EventTopic> topic = found->second.lock()) return topic;
  }
  std::erase_if(topics_, [](const auto& entry) { return entry.second.expired(); });
  auto topic = std::make_shared<EventTopic>();
  if (closed_) topic->Close();
  topics_[std::string(job_id)] = topic;
  return topic;
}

void EventTopics::Advance(const Job& job) {
  std::shared_ptr<EventTopic> topic;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = topics_.find(job.id);
    if (found != topics_.end()) topic = found->second.lock();
  }
  if (topic != nullptr) topic->Advance(job.last_sequence, IsFinal(job.state));
}

void EventTopics::CloseAll() {
  std::vector<std::shared_ptr<EventTopic>> topics;
  {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
    for (const auto& [id, topic] : topics_) topics.push_back(topic.lock());
  }
  for (const std::shared_ptr<EventTopic>& topic : topics) {
    if (topic != nullptr) topic->Close();
  }
}

}  // namespace vrp
