// What a stream of independent requests and answers may do next; no gRPC in it.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace vrp {

// A request takes a slot when it is read and gives it back when its answer has been written: a
// caller who sends faster than answers are made or read waits, and memory is bounded. Thread-safe.
class BatchState {
 public:
  explicit BatchState(int32_t slots) : slots_(slots) {}

  // What to start now, each once. After `read` was started, Reading() is to be called.
  struct Next {
    bool read = false;
    bool write = false;
    std::optional<absl::Status> finish;  // the last thing to do
  };
  Next Step();
  void Reading();  // until then nothing is finished: it must not overtake the start of a read

  bool ReadDone(bool ok);  // whether there is a request, to be answered
  void Answered();         // one more answer waits to be written
  void WriteDone(bool ok);
  // The first end counts: not OK drops what is under way.
  void End(absl::Status result);
  // Reads no more; ends with `result` once all that was read has been answered.
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
