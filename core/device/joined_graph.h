// CUDA graphs one after the other as one, some of them only where flags on the device are set: by
// conditional nodes (CUDA programming guide, "Conditional Graph Nodes"). Torch's allocator knows no
// capture into such a node, but it does know several captures that share their memory. Knows CUDA,
// not Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "core/device/step_flags.h"

namespace vrp {

struct GraphPart {
  cudaGraph_t graph = nullptr;
  StepFlags condition = {};  // of no flags: it is always done
};

// Copies `parts` to `joined`, which is the caller's to destroy. What CUDA reports; then `joined` is
// as it was.
cudaError_t JoinGraphs(std::span<const GraphPart> parts, cudaGraphExec_t& joined);

}  // namespace vrp
