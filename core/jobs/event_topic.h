// How far a job's event log has come, for those who follow it.
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

// Of one job. Thread-safe; never blocks. Followers that wait cost an entry here and nothing else.
class EventTopic {
 public:
  struct Position {
    int64_t last = 0;     // sequence number of the newest event
    bool final = false;   // there will be no more
    bool closed = false;  // there will be no more from this daemon
  };
  Position position() const;
  // The job has come that far; calls that arrive late are harmless. Wakes all who wait.
  void Advance(int64_t last, bool final);
  void Close();

  // Calls `on_ready` once when event `next` is there or will never be; at once when that is so
  // already.
  void NotifyAt(int64_t next, const void* follower, std::function<void()> on_ready);
  // Drops what `follower` waits for. A call that has begun may still be running afterwards.
  void Forget(const void* follower);

 private:
  using Waiting = std::map<const void*, std::vector<std::function<void()>>>;
  static void Wake(const Waiting& waiting);

  mutable absl::Mutex mutex_;
  Position position_ ABSL_GUARDED_BY(mutex_);
  Waiting waiting_ ABSL_GUARDED_BY(mutex_);  // all of them for the next event
};

// The topics that somebody follows. Thread-safe; never blocks.
class EventTopics {
 public:
  // The job's topic, shared by all its followers, and gone with the last of them.
  std::shared_ptr<EventTopic> Get(std::string_view job_id);
  void Advance(const Job& job);
  // The daemon stops: wakes all followers, and those that come.
  void CloseAll();

 private:
  absl::Mutex mutex_;
  std::map<std::string, std::weak_ptr<EventTopic>, std::less<>> topics_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace vrp
