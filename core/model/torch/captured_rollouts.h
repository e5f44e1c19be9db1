// Greedy rollouts of small batches, recorded: what the encoder and the rollout launch, hundreds of
// torch's operators one after the other, is one graph for all batches of a shape. A request is one
// copy to the device, one launch and one copy back. Needs torch.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/device/step_stream.h"
#include "core/model/policy/engine_options.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/torch/network.h"
#include "core/model/torch/parameters.h"
#include "core/model/torch/step_batch.h"

namespace vrp {

// Batches of B instances of up to N nodes are recorded as if B were the next power of two and N the
// next multiple of kCapturedNodesMultiple, where there are no more than so many instances, and no more
// pairs of nodes in all of them: 8 instances of 127 customers, one of 351.
inline constexpr int32_t kCapturedNodesMultiple = 16;
inline constexpr int32_t kMaxCapturedInstances = 8;
inline constexpr int64_t kMaxCapturedPairs = int64_t{1} << 17;
// Shapes that are kept; the one that was not asked for the longest goes. Their tensors, of some
// tens of MiB at most, lie in memory that all share.
inline constexpr size_t kMaxCapturedShapes = 16;

// What is recorded; all outlive it. The passes of `network` are fused, the parameters float32.
struct CapturedRolloutsParts {
  const TorchNetwork* network = nullptr;
  const TorchParameters* parameters = nullptr;
  EngineOptions options;
};

// Thread-safe while no parameter changes. Parameters may change in place between calls; where they
// come to lie elsewhere, all is recorded anew.
class CapturedRollouts {
 public:
  // `make_stream` is called with the first batch that suits; it may give none.
  CapturedRollouts(const CapturedRolloutsParts& parts, StepStreamFactory make_stream);
  ~CapturedRollouts();

  // As PolicyEngine::Run. None: the caller has to run it otherwise, for it is no greedy rollout of
  // a small batch, another thread is at it, or it fails here, which is said; its
  // shape is not tried again. Blocks until the device is done.
  std::optional<absl::StatusOr<Trajectories>> Run(const NetworkBatch& batch,
                                                  const RolloutRequest& request);

  // Lets go of the device's memory. False: there was none.
  bool ReleaseMemory();

 private:
  class Shape;

  absl::Status RollOut(const StepBatchShape& shape, const NetworkBatch& batch);
  // Becomes the first of shapes_.
  void Find(const StepBatchShape& shape);
  void Refuse(const StepBatchShape& shape, const absl::Status& status);
  bool Refuses(const StepBatchShape& shape) const;
  // What runs still uses the memory.
  void Wait();

  const CapturedRolloutsParts parts_;
  const StepStreamFactory make_stream_;
  std::mutex mutex_;  // guards all below
  bool without_stream_ = false;
  std::unique_ptr<StepStream> stream_;        // null: not yet made
  const void* weights_ = nullptr;             // where they lay when shapes_ were recorded
  std::list<std::unique_ptr<Shape>> shapes_;  // the last one that was asked for first
  std::vector<StepBatchShape> refused_;
};

}  // namespace vrp
