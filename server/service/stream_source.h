// What a server stream sends, as the logic sees it; no gRPC in it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

// Messages in order. Next and AtEnd are called by one thread at a time, and may block.
template <typename Response>
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  // Some messages; empty: none yet (see NotifyWhenReady), or the end.
  virtual absl::StatusOr<std::vector<Response>> Next() = 0;
  virtual bool AtEnd() const = 0;
  // After an empty Next before the end: calls `on_ready` once, from any thread, when Next may give
  // more.
  virtual void NotifyWhenReady(std::function<void()> on_ready) = 0;
};

// Opens a source; runs off gRPC's threads, so it may block.
template <typename Response>
using SourceOpener = std::function<absl::StatusOr<std::unique_ptr<StreamSource<Response>>>()>;

}  // namespace vrp
