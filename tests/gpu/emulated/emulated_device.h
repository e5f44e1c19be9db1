// An emulated CUDA device for tests: our .cu files and their launchers, compiled by the host's
// compiler and run thread by thread on one CPU. It finds errors; it is not fast.
//
// Every CUDA thread is a fiber. Blocks run one after another. Within a block, the next thread is
// drawn at random at each barrier, warp call and atomic operation, and sometimes between accesses.
// Like CUDA's compute-sanitizer, it finds
//   - barriers and warp calls that not all threads reach, or reach with different arguments;
//   - if WatchesAccesses(): accesses outside of allocations and shared memory, or to host memory,
//     and races: a write and another access without a barrier or __syncwarp in between (shuffles,
//     votes and reductions do not count, as in CUDA), or between blocks without a __threadfence and
//     an atomic operation.
// Such a kernel ends with cudaErrorLaunchFailure or cudaErrorIllegalAddress, which last until the
// device is reset; the fault is printed and kept. Shared memory before each block and new
// allocations are filled with NaNs that are unlikely counts, too. A host access to device memory
// ends the process.
//
// Not emulated: concurrent blocks, launch bounds and registers, graphs, events, several devices.
// Stricter than CUDA: ended threads do not count at barriers, and allocations are only 16-byte
// aligned.
#pragma once

#include <cstdint>
#include <string>

namespace vrp::emulated {

struct DeviceOptions {
  int64_t shared_bytes = int64_t{227} << 10;  // most that a block may opt in to
  int32_t multiprocessors = 4;
  int64_t memory_bytes = int64_t{1} << 30;
  uint64_t seed = 1;  // of the order of blocks and threads
  // Runs a stream's work, copies included, only when the host waits for it, as CUDA may do.
  // Otherwise work runs immediately.
  bool deferred = false;
};

// Resets the device: forgets its errors and waiting work, but keeps its memory.
void ResetDevice(const DeviceOptions& options);

// Returns the fault of the last failed kernel; empty if none failed.
std::string LastFault();

// Whether accesses of kernels are checked. Not under a sanitizer, which uses the compiler's hooks.
bool WatchesAccesses();

}  // namespace vrp::emulated
