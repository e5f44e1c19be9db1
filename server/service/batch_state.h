// Decides the next operations of a stream of independent requests, without gRPC.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// The state of a stream. A request takes a slot when the call reads it, and frees the slot when its
// response is written. A caller that sends faster than it reads responses must wait, which bounds
// memory. Thread-safe.
class BatchState {
 public:
  explicit BatchState(int32_t slots) : slots_(slots) {}

  // The operations to start now. Call Reading() after the read is started.
  struct Next {
    bool read = false;
    bool write = false;
    std::optional<absl::Status> finish;  // the last operation
  };
  Next Step();
  void Reading();  // lets the stream finish; Finish must not precede a started read

  bool ReadDone(bool ok);  // returns whether there is a request to answer
  void Answered();         // records a response that is ready to write
  void WriteDone(bool ok);
  // Ends the stream. Only the first call has an effect. An error drops the running requests.
  void End(absl::Status result);
  // Stops reading, and ends with `result` once all read requests are answered.
  void EndOnceAnswered(absl::Status result);

 private:
  void EndLocked(absl::Status result) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int32_t slots_;
  absl::Mutex mutex_;
  std::optional<absl::Status> result_ ABSL_GUARDED_BY(mutex_);
  absl::Status result_once_answered_ ABSL_GUARDED_BY(mutex_);
  int32_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  int32_t answers_ ABSL_GUARDED_BY(mutex_) = 0;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool starting_read_ ABSL_GUARDED_BY(mutex_) = false;
  bool read_all_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace vrp
