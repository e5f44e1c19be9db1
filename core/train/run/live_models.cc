#include "core/train/run/live_models.h"

#include <algorithm>

#include "core/base/guard_memory.h"
#include "core/base/text.h"

namespace vrp {

absl::StatusOr<TrainingResult> LiveModels::Ask(const std::string& directory,
                                               absl::Duration patience, Publish publish) {
  const auto wish = std::make_shared<Wish>(Wish{.directory = directory, .publish = publish});
  const auto answered = [&wish] { return wish->answer.has_value(); };
  absl::MutexLock lock(&mutex_);
  if (!closed_.ok()) return closed_;
  wishes_.push_back(wish);
  if (!changed_.WaitFor(&mutex_, patience, answered)) {
    const auto waiting = std::find(wishes_.begin(), wishes_.end(), wish);
    if (waiting != wishes_.end()) {
      wishes_.erase(waiting);
      return absl::DeadlineExceededError(
          Concat("the training has not come to the end of its step within ",
                 absl::FormatDuration(patience), "; try again"));
    }
    mutex_.Await(absl::Condition(&answered));  // it is being written
  }
  return *wish->answer;
}

absl::StatusOr<TrainingResult> LiveModels::Grant(const Wish& wish, Write write) {
  absl::StatusOr<TrainingResult> answer = absl::UnknownError("");
  absl::Status published;
  // Who asks waits for an answer, whatever becomes of the training thread.
  const absl::Status memory = GuardMemory([&] {
    answer = write(wish.directory);
    if (answer.ok()) published = wish.publish();
  });
  if (!memory.ok()) return memory;
  if (!published.ok()) return published;
  return answer;
}

void LiveModels::Serve(Write write) {
  std::deque<std::shared_ptr<Wish>> wishes;
  {
    absl::MutexLock lock(&mutex_);
    wishes.swap(wishes_);
  }
  for (const std::shared_ptr<Wish>& wish : wishes) {
    absl::StatusOr<TrainingResult> answer = Grant(*wish, write);
    {
      absl::MutexLock lock(&mutex_);
      wish->answer = std::move(answer);
    }
    changed_.NotifyAll();
  }
}

void LiveModels::Close(const absl::Status& why) {
  {
    absl::MutexLock lock(&mutex_);
    closed_ = why;
    for (const std::shared_ptr<Wish>& wish : wishes_) wish->answer = why;
    wishes_.clear();
  }
  changed_.NotifyAll();
}

}  // namespace vrp
