// Launches the decoder's kernels on a stream. Depends on CUDA, but not on Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/decoder/decoder_batch.h"
#include "core/kernels/decoder/decoder_launch_plan.h"
#include "core/kernels/decoder/tiled_pass_plan.h"
#include "core/kernels/decoder/tiled_rollout_plan.h"
#include "core/kernels/decoder/warp_launch_plan.h"

namespace vrp {

// The plan, the scratch and the stream of a launch.
struct DecoderLaunch {
  DecoderLaunchPlan plan;
  uint8_t* scratch = nullptr;  // plan.global_scratch_bytes of device memory
  cudaStream_t stream = nullptr;
};

// Enqueues a rollout. Returns CUDA's immediate error.
cudaError_t LaunchRollout(const DecoderBatch<float>& batch, const BatchRolloutRequest& request,
                          const BatchRolloutResult& result, const DecoderLaunch& launch);
// Enqueues a rollout by a plan that has warps. Returns CUDA's immediate error.
cudaError_t LaunchWarpRollout(const DecoderBatch<float>& batch, const BatchRolloutRequest& request,
                              const BatchRolloutResult& result, const WarpRolloutPlan& plan,
                              cudaStream_t stream);
// Enqueues a second pass, which adds to `log_likelihoods` [B, P] and, unless gradient.first.keys is
// null, to `gradient`. Returns CUDA's immediate error.
cudaError_t LaunchSecondPass(const DecoderBatch<float>& batch,
                             const BatchSecondPassRequest& request, double* log_likelihoods,
                             const BatchNodes<float>& gradient, const DecoderLaunch& launch);

// Enqueues a rollout by a plan that has tiles. Returns CUDA's immediate error.
cudaError_t LaunchTiledRollout(const DecoderBatch<float>& batch, const BatchRolloutRequest& request,
                               const BatchRolloutResult& result, const TiledRolloutPlan& plan,
                               cudaStream_t stream);
// Enqueues a second pass by a plan that has tiles. `scratch` has PassRowBytes() bytes of device
// memory, aligned to 16. Writes `log_likelihoods`, and otherwise does what LaunchSecondPass does.
cudaError_t LaunchTiledPass(const DecoderBatch<float>& batch, const BatchSecondPassRequest& request,
                            double* log_likelihoods, const BatchNodes<float>& gradient,
                            const TiledPassPlan& plan, uint8_t* scratch, cudaStream_t stream);

}  // namespace vrp
