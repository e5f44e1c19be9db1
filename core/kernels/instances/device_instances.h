// A batch of instances drawn on the device that uses them. The launch reads the batch's number from
// the device's memory. A captured graph can therefore replay the same launch at every step without
// copies.
#pragma once

#include "absl/status/status.h"
#include "core/kernels/instances/instance_task.h"

namespace vrp {

// Draws the batch into CPU memory with the same program, on one thread.
void DrawInstancesOnCpu(const InstanceTask& task);

// Enqueues the kernel into `stream`, a cudaStream_t of the current device. Returns CUDA's immediate
// error as mapped by CudaStatus (launch/cuda_scratch.h), or kUnimplemented in a build without CUDA.
absl::Status DrawInstancesOnCuda(const InstanceTask& task, void* stream);

}  // namespace vrp
