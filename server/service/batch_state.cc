#include "server/service/batch_state.h"

#include <utility>

namespace vrp {

BatchState::Next BatchState::Step() {
  absl::MutexLock lock(&mutex_);
  Next next;
  if (finished_) return next;
  if (read_all_ && used_ == 0) EndLocked(result_once_answered_);
  if (result_.has_value()) {
    if (writing_ || starting_read_) return next;
    finished_ = true;
    next.finish = *result_;
    return next;
  }
  if (!writing_ && answers_ > 0) {
    --answers_;
    writing_ = next.write = true;
  }
  if (!reading_ && !read_all_ && used_ < slots_) reading_ = starting_read_ = next.read = true;
  return next;
}

void BatchState::Reading() {
  absl::MutexLock lock(&mutex_);
  starting_read_ = false;
}

bool BatchState::ReadDone(bool ok) {
  absl::MutexLock lock(&mutex_);
  reading_ = false;
  if (!ok) read_all_ = true;
  // Drops a request that the caller sent after the last one that the call answers.
  if (!ok || read_all_ || result_.has_value()) return false;
  ++used_;
  return true;
}

void BatchState::Answered() {
  absl::MutexLock lock(&mutex_);
  ++answers_;
}

void BatchState::WriteDone(bool ok) {
  absl::MutexLock lock(&mutex_);
  writing_ = false;
  --used_;
  if (!ok) EndLocked(absl::CancelledError("the caller cancelled the call"));
}

void BatchState::End(absl::Status result) {
  absl::MutexLock lock(&mutex_);
  EndLocked(std::move(result));
}

void BatchState::EndOnceAnswered(absl::Status result) {
  absl::MutexLock lock(&mutex_);
  if (read_all_) return;  // the stream ends with OK by itself
  read_all_ = true;
  result_once_answered_ = std::move(result);
}

void BatchState::EndLocked(absl::Status result) {
  if (!result_.has_value()) result_ = std::move(result);
}

}  // namespace vrp
