// Device work that the host does not wait for: a separate stream, graphs that are captured once and
// replayed, and copies to the host. This header does not include torch. Callers must catch torch's
// exceptions.
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
  // Enqueues the whole step in one launch, after the work that this thread has enqueued into its
  // current stream.
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

  // Enqueues the launches of `work`, whose torch operators use this stream. They run after the work
  // that this thread has enqueued into its current stream.
  virtual absl::Status Run(absl::FunctionRef<absl::Status()> work) = 0;
  // Captures the launches of `work` without running them. Blocks until the stream's earlier work is
  // done. `work` must have run once before, and must not wait for the device. Calls `work` twice if
  // a graph with conditional parts cannot be instantiated for a reason other than lack of memory.
  // Memory that `work` allocates lives as long as the graph. Later captures reuse memory that
  // `work` frees, so nothing may read it after a replay. An error leaves no capture behind.
  virtual absl::StatusOr<std::unique_ptr<StepGraph>> Capture(
      std::function<absl::Status()> work) = 0;
  // Adds a conditional `part` to the work of Run or Capture. A replay skips the part if no flag is
  // set when the device reaches the part. A skipped part leaves its memory unchanged, so only parts
  // with the same flags may read its results. Run always runs the part. So do replays of graphs
  // that are captured once a graph with conditional parts could not be instantiated.
  virtual absl::Status AddConditional(const StepFlags& flags,
                                      absl::FunctionRef<absl::Status()> part) = 0;

  // Copies to page-locked host memory after the stream's current work, while the stream continues.
  // Later work of the stream waits only for earlier copies, not for this copy.
  virtual absl::StatusOr<std::unique_ptr<StepCopy>> CopyToHostAsync(void* to, const void* from,
                                                                    int64_t bytes) = 0;
  // Blocks until the stream's work and copies are done.
  virtual absl::Status Wait() = 0;
};

// A function that creates a stream.
using StepStreamFactory = std::function<std::unique_ptr<StepStream>()>;

// Returns a stream on a CUDA device. Solving's streams have priority over training's. Returns null
// in a build without CUDA.
std::unique_ptr<StepStream> MakeCudaStepStream(int32_t device_index, Priority priority);

}  // namespace vrp
