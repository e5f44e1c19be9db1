#include "core/train/live_models.h"

#include <algorithm>

#include "core/base/text.h"

namespace vrp {

std::string LiveJobName(std::string_view job_name, int64_t step) {
  return Concat(job_name, "/steps/", step);
}

absl::StatusOr<TrainingResult> LiveModels::Ask(const std::string& directory,
                                               absl::Duration patience, Publish publish) {
  const auto wish = std::make_shared<Wish>(Wish{.directory = directory, .publish = publish});
  const auto answered = [&wish] { return wish->answer.has_value(); };
  std::unique_lock<std::mutex> lock(mutex_);
  if (!closed_.ok()) return closed_;
  wishes_.push_back(wish);
  if (!changed_.wait_for(lock, absl::ToChronoNanoseconds(patience), answered)) {
    const auto waiting = std::find(wishes_.begin(), wishes_.end(), wish);
    if (waiting != wishes_.end()) {
      wishes_.erase(waiting);
      return absl::DeadlineExceededError(
          Concat("the training has not come to the end of its step within ",
                 absl::FormatDuration(patience), "; try again"));
    }
    changed_.wait(lock, answered);  // it is being written
  }
  return *wish->answer;
}

void LiveModels::Serve(Write write) {
  std::deque<std::shared_ptr<Wish>> wishes;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    wishes.swap(wishes_);
  }
  for (const std::shared_ptr<Wish>& wish : wishes) {
    absl::StatusOr<TrainingResult> answer = write(wish->directory);
    if (answer.ok()) {
      const absl::Status published = wish->publish();
      if (!published.ok()) answer = published;
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      wish->answer = std::move(answer);
    }
    changed_.notify_all();
  }
}

void LiveModels::Close(const absl::Status& why) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = why;
    for (const std::shared_ptr<Wish>& wish : wishes_) wish->answer = why;
    wishes_.clear();
  }
  changed_.notify_all();
}

}  // namespace vrp
