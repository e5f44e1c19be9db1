#include "core/train/run/live_models.h"

#include <algorithm>

#include "core/base/guard_memory.h"
#include "core/base/text.h"

namespace vrp {

absl::StatusOr<TrainingResult> LiveModels::WriteAndPublish(const std::string& directory,
                                                           absl::Duration timeout,
                                                           Publish publish) {
  const auto request =
      std::make_shared<Request>(Request{.directory = directory, .publish = publish});
  const auto answered = [&request] { return request->answer.has_value(); };
  absl::MutexLock lock(&mutex_);
  if (!closed_.ok()) return closed_;
  requests_.push_back(request);
  if (!changed_.WaitFor(&mutex_, timeout, answered)) {
    const auto waiting = std::find(requests_.begin(), requests_.end(), request);
    if (waiting != requests_.end()) {
      requests_.erase(waiting);
      return absl::DeadlineExceededError(Concat("the training run did not finish its step within ",
                                                absl::FormatDuration(timeout), "; try again"));
    }
    mutex_.Await(absl::Condition(&answered));  // the answer is being written
  }
  return *request->answer;
}

absl::StatusOr<TrainingResult> LiveModels::Answer(const Request& request, Write write) {
  absl::StatusOr<TrainingResult> answer = absl::UnknownError("");
  absl::Status published;
  // The caller gets an answer even if the training thread runs out of memory.
  const absl::Status memory = GuardMemory([&] {
    answer = write(request.directory);
    if (answer.ok()) published = request.publish(*answer);
  });
  if (!memory.ok()) return memory;
  if (!published.ok()) return published;
  return answer;
}

void LiveModels::Serve(Write write) {
  std::deque<std::shared_ptr<Request>> requests;
  {
    absl::MutexLock lock(&mutex_);
    requests.swap(requests_);
  }
  for (const std::shared_ptr<Request>& request : requests) {
    absl::StatusOr<TrainingResult> answer = Answer(*request, write);
    {
      absl::MutexLock lock(&mutex_);
      request->answer = std::move(answer);
    }
    changed_.NotifyAll();
  }
}

bool LiveModels::Waits() {
  absl::MutexLock lock(&mutex_);
  return !requests_.empty();
}

void LiveModels::Close(const absl::Status& reason) {
  {
    absl::MutexLock lock(&mutex_);
    closed_ = reason;
    for (const std::shared_ptr<Request>& request : requests_) request->answer = reason;
    requests_.clear();
  }
  changed_.NotifyAll();
}

}  // namespace vrp
