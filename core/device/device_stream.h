// Where work for a CUDA device is put, and what became of it. No torch in this header.
#pragma once

#include <cstdint>

namespace vrp {

// The cudaStream_t that torch's operators on the device use on this thread, so that our kernels run
// in order with them; null (CUDA's default stream) in a build without CUDA.
void* CurrentStream(int32_t device_index);

// The cudaError_t that CUDA's runtime has kept for this thread, which keeps it; 0: none, or a build
// without CUDA.
int32_t LastCudaError();

}  // namespace vrp
