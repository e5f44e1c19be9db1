// Kernels of a few lines, most of which do what CUDA does not allow.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vrp::emulated {

enum class Trick {
  kTurnByBlock,  // every thread has the value of the opposite one, by shared memory
  kTurnByWarp,   // likewise, in the warp
  kTurnBySlice,  // likewise in rows of threads, of which one goes round twice as often
  kAddToOne,     // all add to values[0]
  kSumByLast,    // values[9]: what all blocks have told the last of them
  kNothing,
  kNoBarrier,     // kTurnByBlock without one
  kNoSyncWarp,    // kTurnByWarp with a shuffle instead
  kNoFence,       // kSumByLast without one
  kHalfBarrier,   // half of the block comes to a barrier
  kHalfShuffle,   // half of a warp comes to a shuffle
  kMixedCalls,    // half of a warp comes to another call than the others
  kTwoCounts,     // a named barrier for as many threads as each thinks
  kBeyondValues,  // behind the values' end
  kBeyondShared,  // behind the shared memory's end
  kReadShared,    // what nobody wrote
};

struct TinyTask {
  Trick trick = Trick::kTurnByBlock;
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
