// The open streams: their number is bounded, they get a heartbeat, and the daemon's end ends them.
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

// What the hub asks of a stream; called from the hub's thread or that of Close. Must not block.
class HubStream {
 public:
  virtual ~HubStream() = default;
  virtual void OnTick() = 0;
  virtual void OnClose() = 0;
};

// Thread-safe.
class StreamHub {
 public:
  struct Options {
    absl::Duration tick = absl::Seconds(10);
    int32_t max_streams = 1000;
    absl::Duration silence = absl::Minutes(1);  // of a caller who uploads
  };
  explicit StreamHub(const Options& options);
  ~StreamHub();
  StreamHub(const StreamHub&) = delete;
  StreamHub& operator=(const StreamHub&) = delete;

  // The stream's number, for Remove.
  // kResourceExhausted: too many; kUnavailable: closed.
  absl::StatusOr<int64_t> Add(std::weak_ptr<HubStream> stream);
  void Remove(int64_t number);
  // How many there are.
  int32_t open() const;
  // After so long without a message an upload is given up, at the next tick.
  absl::Duration silence() const { return options_.silence; }

  // Tells every stream to end and takes no more. Twice is harmless.
  void Close();

 private:
  void Tick();
  std::vector<std::shared_ptr<HubStream>> Streams();

  const Options options_;
  mutable absl::Mutex mutex_;
  std::map<int64_t, std::weak_ptr<HubStream>> streams_ ABSL_GUARDED_BY(mutex_);
  int64_t next_number_ ABSL_GUARDED_BY(mutex_) = 1;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  StopSignal ends_;
  std::thread ticker_;
};

}  // namespace vrp
