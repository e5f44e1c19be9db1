// A CUDA device of the tests' own: our .cu files and the sources that launch them, compiled by the
// host's compiler and run thread by thread on one CPU. It is for finding errors, not for speed.
//
// Every CUDA thread is a fiber. Blocks run one after another, and of a block the thread that goes
// on is drawn at each barrier, warp call and atomic operation, and now and then between accesses.
// What it finds, as CUDA's own compute-sanitizer would:
//   a barrier or warp call that not all come to, or that they come to with other words;
//   where WatchesAccesses(): accesses beyond an allocation or shared memory, or to the host's
//   memory, and races: between a write and another's access no barrier or __syncwarp (shuffles,
//   votes and reductions are none, as CUDA has it), between blocks no __threadfence with an atomic
//   operation.
// Such a kernel ends with cudaErrorLaunchFailure or cudaErrorIllegalAddress, which stay until the
// device is made anew; what it was is printed and kept. Shared memory before each block and memory
// that is allocated are filled with what is no number and no likely count. The host cannot touch
// the device's memory: it dies.
//
// Not emulated: blocks that run at once, a kernel's launch bounds and registers, graphs, events,
// more than one device. Stricter than CUDA: threads that have ended come to no barrier; allocations
// are aligned to 16 bytes alone.
#pragma once

#include <cstdint>
#include <string>

namespace vrp::emulated {

struct DeviceOptions {
  int64_t shared_bytes = int64_t{227} << 10;  // a block may opt in to
  int32_t multiprocessors = 4;
  int64_t memory_bytes = int64_t{1} << 30;
  uint64_t seed = 1;  // of the order of blocks and threads
  // What streams are given is done when someone waits for it, copies from and to the host too, as
  // CUDA may do it. Else at once.
  bool deferred = false;
};

// Makes the device anew: its errors, and what waits in streams, are forgotten. Memory stays.
void MakeDevice(const DeviceOptions& options);

// What the kernel did that failed; empty: none failed.
std::string LastFault();

// Whether kernels' accesses are watched: not under a sanitizer, which has the compiler's hooks.
bool WatchesAccesses();

}  // namespace vrp::emulated
