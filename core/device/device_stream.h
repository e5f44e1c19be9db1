// The stream for work on a CUDA device, and CUDA's last error. This header does not include torch.
#pragma once

#include <cstdint>

namespace vrp {

// Returns the cudaStream_t that torch's operators on the device use on this thread, so that our
// kernels run in order with them. Returns null (CUDA's default stream) in a build without CUDA.
void* CurrentStream(int32_t device_index);

// Returns the cudaError_t that CUDA's runtime stores for this thread, without clearing it. Returns
// 0 if there is no error, and in a build without CUDA.
int32_t LastCudaError();

}  // namespace vrp
