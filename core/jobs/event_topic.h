// Notifies followers of a job's event log.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/jobs/job.h"

namespace vrp {

// The newest position of one job's log. Thread-safe; never blocks. A waiting follower costs one
// entry.
class EventTopic {
 public:
  // The newest position, and whether it is the last one.
  struct Position {
    int64_t last = 0;     // sequence number of the newest event
    bool final = false;   // whether the job has ended, so that no events follow
    bool closed = false;  // whether this daemon adds no more events
  };
  Position position() const;
  // Records the newest event and wakes all waiting followers. Calls may arrive out of order.
  void Advance(int64_t last, bool final);
  // Wakes all followers, because this daemon adds no more events.
  void Close();

  // Calls `on_ready` once, as soon as event `next` exists or the position is final or closed.
  // `next` is at most the newest event + 1. The call comes from this function if it is due already,
  // otherwise from Advance or Close.
  void NotifyAt(int64_t next, const void* follower, std::function<void()> on_ready);
  // Drops the callbacks of `follower` that wait. A callback that became due before may still run
  // afterwards.
  void Forget(const void* follower);

 private:
  using Waiting = std::map<const void*, std::vector<std::function<void()>>>;
  static void Wake(const Waiting& waiting);

  mutable absl::Mutex mutex_;
  Position position_ ABSL_GUARDED_BY(mutex_);
  Waiting waiting_ ABSL_GUARDED_BY(mutex_);  // callbacks that wait for the next event
};

// All topics with followers. Thread-safe; never blocks.
class EventTopics {
 public:
  // Returns the job's topic, which its followers share. The topic is destroyed with the last
  // follower.
  std::shared_ptr<EventTopic> Get(std::string_view job_id);
  // Advances the job's topic to its last event. Does nothing if the job has no followers.
  void Advance(const Job& job);
  // Wakes all followers, including later ones, because the daemon stops.
  void CloseAll();

 private:
  absl::Mutex mutex_;
  std::map<std::string, std::weak_ptr<EventTopic>, std::less<>> topics_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace vrp
