// What a StreamCall does next. Its states, of which each is left for the next by Next():
//
//   reading    a task on the pool opens the source or asks it for messages
//   waiting    the source has nothing yet and will call
//   writing    gRPC sends one message; nothing more is read meanwhile
//   finished   Finish was called; gRPC's OnDone releases the call
#pragma once

#include <optional>
#include <utility>

#include "absl/status/status.h"

namespace vrp {

// At most one operation is under way at a time. Not thread-safe: the call's mutex guards it.
class StreamTurns {
 public:
  enum class Turn { kNone, kRead, kWrite, kFinish };

  // The first end counts.
  void End(absl::Status result) {
    if (!result_.has_value()) result_ = std::move(result);
  }
  // What is to be begun now; `has_message`: one is there to be written. What is to be written goes
  // out before a good end, not before a bad one.
  Turn Next(bool has_message) {
    if (finished_ || writing_) return Turn::kNone;
    if (result_.has_value() && (!result_->ok() || !has_message)) {
      finished_ = true;
      return Turn::kFinish;
    }
    if (has_message) {
      writing_ = true;
      return Turn::kWrite;
    }
    if (reading_ || waiting_) return Turn::kNone;
    reading_ = true;
    return Turn::kRead;
  }
  // After a turn of kFinish.
  const absl::Status& result() const { return *result_; }

  void Written() { writing_ = false; }
  // `wait`: the source has nothing yet and will call.
  void HasRead(bool wait) {
    reading_ = false;
    waiting_ = wait;
  }
  void Ready() { waiting_ = false; }
  // Nothing is under way but the source's next message.
  bool quiet() const { return waiting_ && !writing_ && !result_.has_value(); }

 private:
  std::optional<absl::Status> result_;  // once it is to end
  bool reading_ = false;
  bool waiting_ = false;
  bool writing_ = false;
  bool finished_ = false;
};

}  // namespace vrp
