// Greedy rollouts of small batches by captured graphs. One graph per batch shape replaces the
// hundreds of torch operators of encoder and rollout. A request needs one upload, one launch and
// one download. Needs torch.
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

// Sizes of graphs. A batch of B instances of up to N nodes uses a graph for the next power of two
// of B. The graph's nodes are the next multiple of kCapturedNodesMultiple of N. The maxima bound
// the instances and the pairs of nodes over all of them: 8 instances of 127 customers, or one of
// 351.
inline constexpr int32_t kCapturedNodesMultiple = 16;
inline constexpr int32_t kMaxCapturedInstances = 8;
inline constexpr int64_t kMaxCapturedPairs = int64_t{1} << 17;
// Number of shapes that are kept; the least recently used one is dropped. Their graphs share
// the memory of intermediate tensors, at most tens of MiB.
inline constexpr size_t kMaxCapturedShapes = 16;

// The objects that captured rollouts use. They must outlive the CapturedRollouts. The network's
// passes must be fused, and the parameters float32.
struct CapturedRolloutsParts {
  const TorchNetwork* network = nullptr;
  const TorchParameters* parameters = nullptr;
  EngineOptions options;
};

// A cache of captured rollouts. Thread-safe while no parameter changes. Parameters may change in
// place between calls; if their memory moves, all graphs are captured again.
class CapturedRollouts {
 public:
  // Calls `make_stream`, which may return null, at the first suitable batch.
  CapturedRollouts(const CapturedRolloutsParts& parts, StepStreamFactory make_stream);
  ~CapturedRollouts();

  // Decodes like PolicyEngine::Run. Returns none if this is no greedy rollout of a small batch,
  // there is no stream, another thread is decoding, or decoding this shape fails or has failed. The
  // caller must then decode without captures. Logs a failure and does not try its shape again.
  // Blocks until the device is done.
  std::optional<absl::StatusOr<Trajectories>> Run(const NetworkBatch& batch,
                                                  const RolloutRequest& request);

  // Releases all graphs and their memory on the device. Returns whether there were any.
  bool ReleaseMemory();

 private:
  class Shape;

  absl::Status RollOut(const StepBatchShape& shape, const NetworkBatch& batch);
  // Moves the shape to the front of shapes_, and adds it if it is missing.
  void MoveToFrontOrAdd(const StepBatchShape& shape);
  // Logs that the shape is not captured from now on because of `status`, and frees its memory.
  void Exclude(const StepBatchShape& shape, const absl::Status& status);
  bool IsExcluded(const StepBatchShape& shape) const;
  // Waits for running work, which still uses the memory.
  void Wait();

  const CapturedRolloutsParts parts_;
  const StepStreamFactory make_stream_;
  std::mutex mutex_;                          // guards all members below
  bool without_stream_ = false;               // whether make_stream_ returned null
  std::unique_ptr<StepStream> stream_;        // null before the first use
  const void* weights_ = nullptr;             // address of the weights when shapes_ were captured
  std::list<std::unique_ptr<Shape>> shapes_;  // the most recently used one first
  std::vector<StepBatchShape> excluded_;
};

}  // namespace vrp
