// Decides the next operation of a StreamCall. A stream is in one of these states:
//
//   reading    a task in the pool opens the source or reads messages
//   waiting    the source has no message yet and will call
//   writing    gRPC sends one message; no task reads meanwhile
//   finished   Finish was called; gRPC's OnDone releases the call
#pragma once

#include <optional>
#include <utility>

#include "absl/status/status.h"

namespace vrp {

// The state of a stream, with at most one running operation. Not thread-safe: the call's mutex
// guards it.
class StreamState {
 public:
  enum class Operation { kNone, kRead, kWrite, kFinish };

  // Ends the stream. Only the first call has an effect.
  void End(absl::Status result) {
    if (!result_.has_value()) result_ = std::move(result);
  }
  // Returns the operation to start now. `has_message` is whether a message is ready to write. Ready
  // messages are written before an OK end but not before an error.
  Operation Next(bool has_message) {
    if (finished_ || writing_) return Operation::kNone;
    if (result_.has_value() && (!result_->ok() || !has_message)) {
      finished_ = true;
      return Operation::kFinish;
    }
    if (has_message) {
      writing_ = true;
      return Operation::kWrite;
    }
    if (reading_ || waiting_) return Operation::kNone;
    reading_ = true;
    return Operation::kRead;
  }
  // Returns the final status after kFinish.
  const absl::Status& result() const { return *result_; }

  void WriteDone() { writing_ = false; }
  // Ends a read. `wait` is whether the source has no message yet and will call.
  void ReadDone(bool wait) {
    reading_ = false;
    waiting_ = wait;
  }
  void Ready() { waiting_ = false; }
  // Whether the stream only waits for the next message of the source.
  bool idle() const { return waiting_ && !writing_ && !result_.has_value(); }

 private:
  std::optional<absl::Status> result_;  // set when the stream is to end
  bool reading_ = false;
  bool waiting_ = false;
  bool writing_ = false;
  bool finished_ = false;
};

}  // namespace vrp
