// An emulated CUDA device for tests. The host's compiler compiles our .cu files and their
// launchers, which then run thread by thread on one CPU. The emulation finds errors, but is slow.
//
// Every CUDA thread is a fiber. Blocks run one after another. Within a block, the emulation draws
// the next thread at random at each barrier, warp call and atomic operation, and sometimes between
// accesses. Like CUDA's compute-sanitizer, the emulation finds
//   - barriers and warp calls that not all threads reach, or reach with different arguments;
//   - if WatchesAccesses(): accesses to host memory, or outside of allocations and shared memory;
//   - if WatchesAccesses(): races. A race is a write and another access without a barrier or
//     __syncwarp in between; as in CUDA, shuffles, votes and reductions do not count. Between
//     blocks, it is a write and another access without a __threadfence and an atomic operation.
// Such a kernel ends with cudaErrorLaunchFailure or cudaErrorIllegalAddress, which last until the
// device is reset. The fault is printed, and LastFault() returns it. Shared memory before each
// block and new allocations are filled with NaNs, which are also unlikely counts. A host access to
// device memory ends the process.
//
// The device does not emulate concurrent blocks, launch bounds and registers, graphs, events, or
// several devices. It is stricter than CUDA: ended threads do not count at barriers, and
// allocations are only 16-byte aligned.
#pragma once

#include <cstdint>
#include <string>

namespace vrp::emulated {

struct DeviceOptions {
  int64_t shared_bytes = int64_t{227} << 10;  // maximum that a block may opt in to
  int32_t multiprocessors = 4;
  int64_t memory_bytes = int64_t{1} << 30;
  uint64_t seed = 1;  // seed of the order of blocks and threads
  // Whether a stream's work, including copies, runs only when the host waits for it, as CUDA may
  // do. Otherwise work runs immediately.
  bool deferred = false;
};

// Resets the device. Clears its errors and waiting work, but keeps its memory.
void ResetDevice(const DeviceOptions& options);

// Returns the fault of the last failed kernel; empty if none failed.
std::string LastFault();

// Whether the emulation checks kernels' accesses. It does not under a sanitizer, which uses the
// compiler's hooks.
bool WatchesAccesses();

}  // namespace vrp::emulated
