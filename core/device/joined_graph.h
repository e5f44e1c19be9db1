// CUDA graphs joined into one, some of them run only if flags on the device are set. Uses
// conditional nodes (CUDA programming guide, "Conditional Graph Nodes"): torch's allocator cannot
// capture into such a node, but it supports several captures that share memory. Knows CUDA, not
// Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "core/device/step_flags.h"

namespace vrp {

struct GraphPart {
  cudaGraph_t graph = nullptr;
  StepFlags condition = {};  // no flags: always run
};

// Builds one executable graph, `joined`, from copies of `parts`; the caller destroys it. Returns
// CUDA's error, with `joined` unchanged.
cudaError_t JoinGraphs(std::span<const GraphPart> parts, cudaGraphExec_t& joined);

}  // namespace vrp
