#include "server/support/stream_hub.h"

#include <utility>

#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {

StreamHub::StreamHub(const Options& options) : options_(options) {
  ticker_ = std::thread([this] { Tick(); });
}

StreamHub::~StreamHub() {
  Close();
  ticker_.join();
}

absl::StatusOr<int64_t> StreamHub::Add(std::weak_ptr<HubStream> stream) {
  absl::MutexLock lock(&mutex_);
  if (closed_) return StoppingError();
  if (streams_.size() >= static_cast<size_t>(options_.max_streams)) {
    return WithReason(
        absl::ResourceExhaustedError(
            Concat("busy: ", streams_.size(), " streams are open; close one or try again later")),
        "TOO_MANY_STREAMS");
  }
  streams_.emplace(next_number_, std::move(stream));
  return next_number_++;
}

void StreamHub::Remove(int64_t number) {
  absl::MutexLock lock(&mutex_);
  streams_.erase(number);
}

int32_t StreamHub::open() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int32_t>(streams_.size());
}

std::vector<std::shared_ptr<HubStream>> StreamHub::Streams() {
  std::vector<std::shared_ptr<HubStream>> streams;
  absl::MutexLock lock(&mutex_);
  for (const auto& [number, stream] : streams_) {
    if (std::shared_ptr<HubStream> alive = stream.lock()) streams.push_back(std::move(alive));
  }
  return streams;
}

void StreamHub::Close() {
  {
    absl::MutexLock lock(&mutex_);
    if (closed_) return;
    closed_ = true;
  }
  ends_.Set();
  // Outside the lock: a stream that ends calls Remove.
  for (const std::shared_ptr<HubStream>& stream : Streams()) stream->OnClose();
}

void StreamHub::Tick() {
  while (!ends_.WaitFor(options_.tick)) {
    for (const std::shared_ptr<HubStream>& stream : Streams()) stream->OnTick();
  }
}

}  // namespace vrp
