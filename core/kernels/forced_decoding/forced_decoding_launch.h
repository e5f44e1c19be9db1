// Launches the kernels of forced decoding and of single steps on a stream. Depends on CUDA, but not
// on Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include "core/kernels/forced_decoding/advance_program.h"
#include "core/kernels/forced_decoding/forced_decoding_program.h"

namespace vrp {

// Enqueues the kernel. Returns CUDA's immediate error.
cudaError_t LaunchForcedDecoding(const ForcedDecodingRequest& request,
                                 const ForcedDecodingResult<float>& result, cudaStream_t stream);
cudaError_t LaunchAdvance(const AdvanceRequest& request, const AdvanceResult<float>& result,
                          cudaStream_t stream);

}  // namespace vrp
