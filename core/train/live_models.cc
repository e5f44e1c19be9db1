#include "core/train/live_models.h"

#include <algorithm>

#include "core/base/text.h"

namespace vrp {

std::string LiveJobName(std::string_view job_name, int64_t step) {
  return Concat(job_name, "/steps/", step);
}

absl::StatusOr<TrainingResult> LiveModels::Ask(const std::string& directory,
                                               absl::Duration patience) {
  const auto wish = std::make_shared<Wish>(Wish{.directory = directory});
  const auto answered = +[](Wish* asked) { return asked->answer.has_value(); };
  absl::MutexLock lock(&mutex_);
  if (!closed_.ok()) return closed_;
  wishes_.push_back(wish);
  if (!mutex_.AwaitWithTimeout(absl::Condition(answered, wish.get()), patience)) {
    const auto waiting = std::find(wishes_.begin(), wishes_.end(), wish);
    if (waiting != wishes_.end()) {
      wishes_.erase(waiting);
      return absl::DeadlineExceededError(
          Concat("the training has not come to the end of its step within ",
                 absl::FormatDuration(patience), "; try again"));
    }
    mutex_.Await(absl::Condition(answered, wish.get()));  // it is being written
  }
  return *wish->answer;
}

void LiveModels::Serve(Write write) {
  std::deque<std::shared_ptr<Wish>> wishes;
  {
    absl::MutexLock lock(&mutex_);
    wishes.swap(wishes_);
  }
  for (const std::shared_ptr<Wish>& wish : wishes) {
    absl::StatusOr<TrainingResult> answer = write(wish->directory);
    absl::MutexLock lock(&mutex_);
    wish->answer = std::move(answer);
  }
}

void LiveModels::Close(const absl::Status& why) {
  absl::MutexLock lock(&mutex_);
  closed_ = why;
  for (const std::shared_ptr<Wish>& wish : wishes_) wish->answer = why;
  wishes_.clear();
}

}  // namespace vrp
