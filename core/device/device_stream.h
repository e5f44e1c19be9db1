// The stream for work on a CUDA device, and its last error. No torch in this header.
#pragma once

#include <cstdint>

namespace vrp {

// Returns the cudaStream_t that torch's operators on the device use on this thread, so that our
// kernels run in order with them. Null (CUDA's default stream) in a build without CUDA.
void* CurrentStream(int32_t device_index);

// Returns, without clearing it, the cudaError_t that CUDA's runtime keeps for this thread. 0: no
// error, or a build without CUDA.
int32_t LastCudaError();

}  // namespace vrp
