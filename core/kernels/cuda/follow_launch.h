// The kernel that walks along given choices, to be launched on a stream. Knows CUDA, not Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/followed_program.h"

namespace vrp {

// Enqueues; what CUDA reports at once.
cudaError_t LaunchFollow(const FollowRequest& request, const FollowResult<float>& result,
                         cudaStream_t stream);

}  // namespace vrp
