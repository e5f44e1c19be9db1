// Device work that the host does not wait for: a stream of its own, graphs that are captured once
// and replayed, and copies to the host. No torch in this header. Torch's exceptions pass through;
// callers must catch them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/device/executor.h"
#include "core/device/step_flags.h"

namespace vrp {

// A captured step. Must be destroyed before its stream.
class StepGraph {
 public:
  virtual ~StepGraph() = default;
  // Enqueues the whole step in one launch.
  virtual absl::Status Replay() = 0;
};

// A pending copy to the host.
class StepCopy {
 public:
  virtual ~StepCopy() = default;
  // Blocks until the copy is done.
  virtual absl::Status Wait() = 0;
};

// A stream of steps. Not thread-safe.
class StepStream {
 public:
  virtual ~StepStream() = default;

  // Enqueues the launches of `work`, whose torch operators use this stream, after the device's
  // earlier work.
  virtual absl::Status Run(absl::FunctionRef<absl::Status()> work) = 0;
  // Captures the launches of `work` without running them. `work` must have run once before, and
  // must not wait for the device. Memory that it allocates lives as long as the graph; memory that
  // it frees is reused by later captures, so nothing may read it after a replay. An error leaves no
  // capture behind.
  virtual absl::StatusOr<std::unique_ptr<StepGraph>> Capture(
      std::function<absl::Status()> work) = 0;
  // Adds a conditional `part` to the work of Run or Capture: a replay skips it if none of `flags`
  // is set when the device reaches it. Memory that a skipped part would have written is unchanged,
  // so later work must not depend on it, except parts skipped with it. Run always runs the part.
  virtual absl::Status RunIfAny(const StepFlags& flags, absl::FunctionRef<absl::Status()> part) = 0;

  // Copies to page-locked host memory after the stream's current work, while the stream continues.
  // Later work of the stream waits only for earlier copies, not for this one.
  virtual absl::StatusOr<std::unique_ptr<StepCopy>> CopyToHostAsync(void* to, const void* from,
                                                                    int64_t bytes) = 0;
  // Blocks until the stream's work and copies are done.
  virtual absl::Status Wait() = 0;
};

using StepStreamFactory = std::function<std::unique_ptr<StepStream>()>;

// Returns a stream on a CUDA device; solving's streams have priority over training's. Null in a
// build without CUDA.
std::unique_ptr<StepStream> MakeCudaStepStream(int32_t device_index, Priority priority);

}  // namespace vrp
