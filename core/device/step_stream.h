// Work on a device that the host does not wait for: a stream of its own, graphs of launches that
// are recorded once and replayed whole, and copies beside it. No torch in this header. What torch
// throws comes through; who calls guards itself.
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

// Work that was recorded. It has to end before its stream does.
class StepGraph {
 public:
  virtual ~StepGraph() = default;
  // Puts all of it into the stream, in one launch.
  virtual absl::Status Replay() = 0;
};

// A copy on its way to the host.
class StepCopy {
 public:
  virtual ~StepCopy() = default;
  // Blocks until it is there.
  virtual absl::Status Wait() = 0;
};

// One thread at a time.
class StepStream {
 public:
  virtual ~StepStream() = default;

  // Puts what `work` launches into the stream, which torch's operators use meanwhile, behind what
  // the device was told to do before.
  virtual absl::Status Run(absl::FunctionRef<absl::Status()> work) = 0;
  // Records it instead; none of it is done. `work` must have run once, and must not wait for the
  // device; what it allocates lives as long as the graph. What it lets go of that, graphs recorded
  // later use too: nothing of it may be read behind a replay. An error leaves nothing behind.
  virtual absl::StatusOr<std::unique_ptr<StepGraph>> Capture(
      std::function<absl::Status()> work) = 0;
  // In the work of Run or Capture: `part` of it, which a replay may leave out where none of `flags`
  // is set when the device comes to it. What the part would have written is as it was then, so that
  // nothing behind it may read what it alone has written; other such parts may, if they are left
  // out with it. Run does it always.
  virtual absl::Status DoWhereAny(const StepFlags& flags,
                                  absl::FunctionRef<absl::Status()> part) = 0;

  // Copies to page-locked memory of the host, when all that is in the stream now is done, while the
  // stream goes on. What is put into it from now on waits for the copies before this one.
  virtual absl::StatusOr<std::unique_ptr<StepCopy>> CopyAside(void* to, const void* from,
                                                              int64_t bytes) = 0;
  // Blocks until all that is in the stream is done, and the copies beside it.
  virtual absl::Status Wait() = 0;
};

using StepStreamFactory = std::function<std::unique_ptr<StepStream>()>;

// On a CUDA device, where solving's streams go before training's; null in a build without CUDA.
std::unique_ptr<StepStream> MakeCudaStepStream(int32_t device_index, Priority priority);

}  // namespace vrp
