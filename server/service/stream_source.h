// Sources of the messages of a server stream, without gRPC.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

// An ordered source of messages. One thread at a time calls Next and AtEnd, which may block.
template <typename Response>
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  // Returns some messages. Returns none at the end, or if there are none yet (see NotifyWhenReady).
  virtual absl::StatusOr<std::vector<Response>> Next() = 0;
  // Whether Next has returned all messages.
  virtual bool AtEnd() const = 0;
  // Calls `on_ready` once, from any thread, when Next may return more messages or an error. The
  // caller calls this after Next returned nothing before the end.
  virtual void NotifyWhenReady(std::function<void()> on_ready) = 0;
};

// A function that opens a source. It may block, because it does not run in gRPC's threads.
template <typename Response>
using SourceOpener = std::function<absl::StatusOr<std::unique_ptr<StreamSource<Response>>>()>;

}  // namespace vrp
