// Declares small kernels, most of which do something that CUDA does not allow.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vrp::emulated {

enum class Trick {
  kReverseByBlock,  // each thread gets the opposite thread's value, through shared memory
  kReverseByWarp,   // the same within a warp
  kReverseBySlice,  // the same in rows of threads, one of which loops three times as often
  kAddToOne,        // all threads add to values[0]
  kSumByLast,       // values[9]: sum of all blocks' values, by the last block
  kNothing,
  kNoBarrier,       // kReverseByBlock without its barrier
  kNoSyncWarp,      // kReverseByWarp with a shuffle instead of its barrier
  kNoFence,         // kSumByLast without its fences
  kHalfBarrier,     // half of the block reaches a barrier
  kHalfShuffle,     // half of a warp reaches a shuffle
  kMixedCalls,      // half of a warp makes a different call
  kTwoPlaces,       // two warps at different __syncthreads
  kTwoNamedPlaces,  // the same with a named barrier, which is allowed
  kTwoCounts,       // a named barrier with different counts
  kBeyondValues,    // writes beyond the values' end
  kBeyondShared,    // writes beyond the shared memory's end
  kReadShared,      // reads unwritten shared memory
};

struct TinyTask {
  Trick trick = Trick::kReverseByBlock;
  int32_t* values = nullptr;
  int32_t count = 0;
};

struct TinyShape {
  int32_t blocks = 1;
  dim3 threads = dim3(128);
  int64_t shared_bytes = 4096;
};

cudaError_t LaunchTiny(const TinyTask& task, const TinyShape& shape, cudaStream_t stream = nullptr);

}  // namespace vrp::emulated
