// Tracks open streams: limits their number, calls them at each tick, and closes them at the
// daemon's end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/stop_signal.h"

namespace vrp {

// The callbacks of a tracked stream. The tracker's thread or the caller of Close calls them. They
// must not block.
class TrackedStream {
 public:
  virtual ~TrackedStream() = default;
  virtual void OnTick() = 0;
  virtual void OnClose() = 0;
};

// A tracker of streams. Thread-safe.
class StreamTracker {
 public:
  struct Options {
    absl::Duration tick = absl::Seconds(10);
    int32_t max_streams = 1000;
    absl::Duration silence = absl::Minutes(1);  // see silence()
  };
  explicit StreamTracker(const Options& options);
  ~StreamTracker();
  StreamTracker(const StreamTracker&) = delete;
  StreamTracker& operator=(const StreamTracker&) = delete;

  // Adds a stream and returns its number for Remove. Returns kResourceExhausted if too many streams
  // are open, and kUnavailable if the tracker is closed.
  absl::StatusOr<int64_t> Add(std::weak_ptr<TrackedStream> stream);
  void Remove(int64_t number);
  // Returns the number of open streams.
  int32_t open() const;
  // Returns the time without a message after which the next tick aborts an upload.
  absl::Duration silence() const { return options_.silence; }

  // Calls OnClose of every stream and refuses new ones. Idempotent.
  void Close();

 private:
  void Tick();
  std::vector<std::shared_ptr<TrackedStream>> Streams();

  const Options options_;
  mutable absl::Mutex mutex_;
  std::map<int64_t, std::weak_ptr<TrackedStream>> streams_ ABSL_GUARDED_BY(mutex_);
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 1;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  StopSignal stopping_;
  std::thread ticker_;
};

}  // namespace vrp
