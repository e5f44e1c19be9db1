// A batch of instances drawn on the device that uses them. The batch's number is read from the
// device's memory, so that the same launch serves every step (a captured graph) and nothing is
// copied.
#pragma once

#include "absl/status/status.h"
#include "core/kernels/instances/instance_task.h"

namespace vrp {

// Draws into CPU memory by the same program, with one thread.
void DrawInstancesOnCpu(const InstanceTask& task);

// Enqueues into `stream`, a cudaStream_t of the current device. kInternal: CUDA's immediate error.
// kUnimplemented: a build without CUDA.
absl::Status DrawInstancesOnCuda(const InstanceTask& task, void* stream);

}  // namespace vrp
