#include "server/support/stream_tracker.h"

#include <utility>

#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {

StreamTracker::StreamTracker(const Options& options) : options_(options) {
  ticker_ = std::thread([this] { Tick(); });
}

StreamTracker::~StreamTracker() {
  Close();
  ticker_.join();
}

absl::StatusOr<int64_t> StreamTracker::Add(std::weak_ptr<TrackedStream> stream) {
  absl::MutexLock lock(&mutex_);
  if (closed_) return StoppingError();
  if (streams_.size() >= static_cast<size_t>(options_.max_streams)) {
    return WithReason(
        absl::ResourceExhaustedError(
            Concat("busy: ", streams_.size(),
                   " streams are open, as many as max_open_streams allows; close one or try again "
                   "later")),
        "TOO_MANY_STREAMS");
  }
  streams_.emplace(next_number_, std::move(stream));
  return next_number_++;
}

void StreamTracker::Remove(int64_t number) {
  absl::MutexLock lock(&mutex_);
  streams_.erase(number);
}

int32_t StreamTracker::open() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int32_t>(streams_.size());
}

std::vector<std::shared_ptr<TrackedStream>> StreamTracker::Streams() {
  std::vector<std::shared_ptr<TrackedStream>> streams;
  absl::MutexLock lock(&mutex_);
  for (const auto& [number, stream] : streams_) {
    if (std::shared_ptr<TrackedStream> alive = stream.lock()) streams.push_back(std::move(alive));
  }
  return streams;
}

void StreamTracker::Close() {
  {
    absl::MutexLock lock(&mutex_);
    if (closed_) return;
    closed_ = true;
  }
  stopping_.Set();
  // Calls OnClose without the lock, because a stream that ends calls Remove.
  for (const std::shared_ptr<TrackedStream>& stream : Streams()) stream->OnClose();
}

void StreamTracker::Tick() {
  while (!stopping_.WaitFor(options_.tick)) {
    for (const std::shared_ptr<TrackedStream>& stream : Streams()) stream->OnTick();
  }
}

}  // namespace vrp
