#include "core/model/torch/captured_rollouts.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/passes.h"
#include "core/model/torch/precision.h"
#include "core/model/torch/rollout_result.h"

namespace vrp {
namespace {

// Returns the shape of the graph for a request, or none if such rollouts are not captured.
std::optional<StepBatchShape> CapturedShape(const NetworkBatch& batch,
                                            const RolloutRequest& request) {
  if (request.choice != Choice::kGreedy || request.trajectories != 1 || request.distinct_starts) {
    return std::nullopt;
  }
  if (batch.size() < 1 || batch.size() > kMaxCapturedInstances) return std::nullopt;
  StepBatchShape shape = {
      .instances = static_cast<int32_t>(std::bit_ceil(static_cast<uint32_t>(batch.size()))),
      .columns = batch.columns,
      .allow_smaller = true};
  const int64_t nodes = (int64_t{batch.longest()} + kCapturedNodesMultiple - 1) /
                        kCapturedNodesMultiple * kCapturedNodesMultiple;
  // Divides, because the product might overflow.
  if (nodes > kMaxCapturedPairs / shape.instances / std::max<int64_t>(nodes, 1)) {
    return std::nullopt;
  }
  shape.nodes = static_cast<int32_t>(nodes);
  for (const RoutingProblem& problem : batch.problems) {
    shape.matrices = shape.matrices || problem.distances != nullptr || problem.durations != nullptr;
    shape.tsp = shape.tsp || problem.tsp;
  }
  return shape;
}

at::Tensor BytesOnHost(int64_t bytes, at::Device device) {
  return at::empty({bytes}, at::TensorOptions(at::kByte).pinned_memory(device.is_cuda()));
}

}  // namespace

// The memory and graph of a shape. The owner's mutex guards all of it.
class CapturedRollouts::Shape {
 public:
  Shape(const StepBatchShape& shape, const CapturedRolloutsParts& parts)
      : shape_(shape),
        parts_(parts),
        device_(parts.parameters->options().device()),
        batch_(shape, device_),
        result_(shape.instances, batch_.max_steps(), device_),
        host_(BytesOnHost(result_.bytes().numel(), device_)) {}

  const StepBatchShape& shape() const { return shape_; }

  // Decodes into the host's memory. Blocks.
  absl::Status RollOut(StepStream& stream, const NetworkBatch& batch) {
    VRP_RETURN_IF_ERROR(stream.Run([&] { return batch_.Upload(batch); }));
    VRP_RETURN_IF_ERROR(Launch(stream));
    VRP_ASSIGN_OR_RETURN(
        const std::unique_ptr<StepCopy> copy,
        stream.CopyToHostAsync(host_.mutable_data_ptr<uint8_t>(),
                               result_.bytes().const_data_ptr<uint8_t>(), result_.bytes().numel()));
    return copy->Wait();
  }

  absl::StatusOr<Trajectories> Read(const NetworkBatch& batch,
                                    const RolloutRequest& request) const {
    return ReadRolloutResult(result_.Views(host_.mutable_data_ptr<uint8_t>()), result_.max_steps(),
                             {.batch = &batch, .count = batch.size()}, request);
  }

 private:
  // Runs the first rollout without a graph, because torch prepares much on first use that must not
  // be captured. Captures the second one and replays it from then on.
  absl::Status Launch(StepStream& stream) {
    const auto work = [this] { return Work(); };
    if (!prepared_) {
      VRP_RETURN_IF_ERROR(stream.Run(work));
      prepared_ = true;
      return absl::OkStatus();
    }
    if (graph_ == nullptr) {
      VRP_ASSIGN_OR_RETURN(graph_, stream.Capture(work));
    }
    return graph_->Replay();
  }

  // Enqueues all work after the upload on the current CUDA stream and does not wait. On the CPU,
  // runs the work before returning.
  absl::Status Work() const {
    const TorchBatch instances =
        batch_.View(batch_.all(), at::kFloat, parts_.network->wants_edges());
    const AutocastScope autocast(device_.type(), parts_.options.precision);
    const std::optional<DecoderProjections> projections =
        parts_.network->Project(*parts_.parameters, instances, {});
    TORCH_CHECK(projections.has_value(), "this network has no fused passes");
    FusedPasses<float> passes(*projections, batch_.rules(batch_.all()),
                              parts_.options.deterministic);
    return passes.Rollout({.max_steps = batch_.max_steps()}, result_.result());
  }

  const StepBatchShape shape_;
  const CapturedRolloutsParts& parts_;
  const at::Device device_;
  StepBatch batch_;
  const RolloutMemory result_;
  const at::Tensor host_;  // page-locked copy of the results
  bool prepared_ = false;  // whether a rollout has run without a graph
  std::unique_ptr<StepGraph> graph_;
};

CapturedRollouts::CapturedRollouts(const CapturedRolloutsParts& parts,
                                   StepStreamFactory make_stream)
    : parts_(parts), make_stream_(std::move(make_stream)) {}

CapturedRollouts::~CapturedRollouts() { Wait(); }

std::optional<absl::StatusOr<Trajectories>> CapturedRollouts::Run(const NetworkBatch& batch,
                                                                  const RolloutRequest& request) {
  const std::optional<StepBatchShape> shape = CapturedShape(batch, request);
  if (!shape.has_value()) return std::nullopt;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || without_stream_ || IsExcluded(*shape)) return std::nullopt;
  if (absl::Status stopped = StopStatus(request.stop.Check()); !stopped.ok()) return stopped;
  const absl::Status done = GuardTorch([&] { return RollOut(*shape, batch); });
  if (without_stream_) return std::nullopt;
  if (!done.ok()) {
    Exclude(*shape, done);
    return std::nullopt;
  }
  return shapes_.front()->Read(batch, request);
}

absl::Status CapturedRollouts::RollOut(const StepBatchShape& shape, const NetworkBatch& batch) {
  const c10::NoGradGuard no_gradients;
  const c10::DeviceGuard guard(parts_.parameters->options().device());
  if (stream_ == nullptr) stream_ = make_stream_();
  without_stream_ = stream_ == nullptr;
  if (without_stream_) return absl::OkStatus();
  const void* const weights = parts_.parameters->flat().const_data_ptr();
  if (std::exchange(weights_, weights) != weights) shapes_.clear();
  MoveToFrontOrAdd(shape);
  return shapes_.front()->RollOut(*stream_, batch);
}

void CapturedRollouts::MoveToFrontOrAdd(const StepBatchShape& shape) {
  const auto found = std::ranges::find_if(
      shapes_, [&](const std::unique_ptr<Shape>& one) { return one->shape() == shape; });
  if (found != shapes_.end()) {
    shapes_.splice(shapes_.begin(), shapes_, found);
    return;
  }
  if (shapes_.size() == kMaxCapturedShapes) shapes_.pop_back();
  shapes_.push_front(std::make_unique<Shape>(shape, parts_));
}

void CapturedRollouts::Exclude(const StepBatchShape& shape, const absl::Status& status) {
  TORCH_WARN("greedy rollouts of up to ", shape.instances, " instances of up to ", shape.nodes,
             " nodes are not captured: ", status.message());
  excluded_.push_back(shape);
  Wait();
  if (absl::IsResourceExhausted(status)) {
    shapes_.clear();
  } else if (!shapes_.empty() && shapes_.front()->shape() == shape) {
    shapes_.pop_front();
  }
}

bool CapturedRollouts::IsExcluded(const StepBatchShape& shape) const {
  return std::ranges::find(excluded_, shape) != excluded_.end();
}

void CapturedRollouts::Wait() {
  // A lost device uses no memory, so the error does not matter.
  if (stream_ != nullptr) static_cast<void>(GuardTorch([this] { return stream_->Wait(); }));
}

bool CapturedRollouts::ReleaseMemory() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool kept = !shapes_.empty();
  shapes_.clear();
  return kept;
}

}  // namespace vrp
