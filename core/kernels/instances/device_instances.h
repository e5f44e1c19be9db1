// A batch of instances drawn where they are used. Which one is read from the device's memory, so
// that the same launch serves every step (a captured graph), and the host moves nothing.
#pragma once

#include "absl/status/status.h"
#include "core/kernels/instances/instance_task.h"

namespace vrp {

// All pointers are to the CPU's memory: the same program with one thread.
void DrawInstancesOnCpu(const InstanceTask& task);

// Puts it into `stream`, a cudaStream_t of the current device. kInternal says what CUDA reports at
// once; kUnimplemented in a build without CUDA.
absl::Status DrawInstancesOnCuda(const InstanceTask& task, void* stream);

}  // namespace vrp
