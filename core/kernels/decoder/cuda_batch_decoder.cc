// BatchDecoder on the current CUDA device.
#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/kernels/decoder/batch_decoder.h"
#include "core/kernels/decoder/decoder_launch.h"
#include "core/kernels/launch/cuda_scratch.h"

namespace vrp {
namespace {

class CudaBatchDecoder final : public BatchDecoder<float> {
 public:
  explicit CudaBatchDecoder(const CudaDecoderOptions& options)
      : stream_(static_cast<cudaStream_t>(options.stream)), options_(options) {}

  absl::Status Rollout(const DecoderBatch<float>& batch, const BatchRolloutRequest& request,
                       const BatchRolloutResult& result) override {
    VRP_ASSIGN_OR_RETURN(const DecoderLaunchSize size, SizeOf(batch, request.trajectories, false));
    if (const TiledRolloutPlan tiled = PlanTiledRollout(size, *limits_); tiled.tiles > 0) {
      return CudaStatus(LaunchTiledRollout(batch, request, result, tiled, stream_), "rollout");
    }
    if (const WarpRolloutPlan warps = PlanWarpRollout(size, *limits_); warps.warps > 0) {
      return CudaStatus(LaunchWarpRollout(batch, request, result, warps, stream_), "rollout");
    }
    const DecoderLaunchPlan plan = PlanDecoderLaunch(size, *limits_);
    VRP_ASSIGN_OR_RETURN(const std::shared_ptr<uint8_t> scratch,
                         AllocateScratch(plan.global_scratch_bytes));
    return CudaStatus(LaunchRollout(batch, request, result,
                                    {.plan = plan, .scratch = scratch.get(), .stream = stream_}),
                      "rollout");
  }

  absl::Status SecondPass(const DecoderBatch<float>& batch, const BatchSecondPassRequest& request,
                          double* log_likelihoods, const BatchNodes<float>& gradient) override {
    VRP_ASSIGN_OR_RETURN(const DecoderLaunchSize size, SizeOf(batch, request.trajectories, true));
    const size_t trajectories =
        static_cast<size_t>(batch.instances) * static_cast<size_t>(request.trajectories);
    if (const TiledPassPlan tiled = PlanTiledPass(size, *limits_); tiled.tiles > 0) {
      VRP_ASSIGN_OR_RETURN(
          const std::shared_ptr<uint8_t> rows,
          AllocateScratch(PassRowBytes(static_cast<int64_t>(trajectories), request.max_steps)));
      return CudaStatus(
          LaunchTiledPass(batch, request, log_likelihoods, gradient, tiled, rows.get(), stream_),
          "second pass");
    }
    const DecoderLaunchPlan plan = PlanDecoderLaunch(size, *limits_);
    VRP_ASSIGN_OR_RETURN(const std::shared_ptr<uint8_t> scratch,
                         AllocateScratch(plan.global_scratch_bytes));
    VRP_RETURN_IF_ERROR(
        CudaStatus(cudaMemsetAsync(log_likelihoods, 0, trajectories * sizeof(double), stream_),
                   "clear the log-likelihoods"));
    return CudaStatus(LaunchSecondPass(batch, request, log_likelihoods, gradient,
                                       {.plan = plan, .scratch = scratch.get(), .stream = stream_}),
                      "second pass");
  }

 private:
  // Returns the size of a launch. Sets limits_.
  absl::StatusOr<DecoderLaunchSize> SizeOf(const DecoderBatch<float>& batch, int32_t trajectories,
                                           bool gradient) {
    if (!limits_.has_value()) {
      VRP_ASSIGN_OR_RETURN(limits_, QueryLimits());
    }
    return DecoderLaunchSize{
        .shape = batch.shape,
        .instances = batch.instances,
        .nodes = batch.nodes,
        .trajectories = trajectories,
        .group_scratch_bytes =
            LayOutDecoderScratch<float>(batch.shape, batch.nodes, gradient).bytes,
        .gradient = gradient,
        .deterministic = options_.deterministic,
        .exact = !options_.coarse,
        .bf16 = options_.bf16};
  }

  absl::StatusOr<std::shared_ptr<uint8_t>> AllocateScratch(int64_t bytes) const {
    if (bytes == 0) return nullptr;
    if (options_.allocate != nullptr) return options_.allocate(bytes);
    VRP_ASSIGN_OR_RETURN(CudaScratch made, CudaScratch::Create(bytes, stream_));
    const auto shared = std::make_shared<CudaScratch>(std::move(made));
    return std::shared_ptr<uint8_t>(shared, shared->bytes());
  }

  const cudaStream_t stream_;
  const CudaDecoderOptions options_;
  std::optional<DeviceLimits> limits_;
};

}  // namespace

std::unique_ptr<BatchDecoder<float>> MakeCudaBatchDecoder(const CudaDecoderOptions& options) {
  return std::make_unique<CudaBatchDecoder>(options);
}

}  // namespace vrp
