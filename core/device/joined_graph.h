// Joins CUDA graphs into one. A part with flags on the device runs only if one of them is set. Uses
// conditional nodes (CUDA programming guide, "Conditional Graph Nodes"). Torch's allocator cannot
// capture into such a node, but it supports several captures that share memory. Depends on CUDA,
// but not on Abseil.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "core/device/step_flags.h"

namespace vrp {

// A part of a joined graph. The caller owns `graph`. The flags' memory must outlive the joined
// graph.
struct GraphPart {
  cudaGraph_t graph = nullptr;
  StepFlags condition = {};  // no flags: the part always runs
};

// Builds one executable graph, `joined`, from copies of `parts`; the caller destroys it. On
// failure, returns CUDA's error and leaves `joined` unchanged.
cudaError_t JoinGraphs(std::span<const GraphPart> parts, cudaGraphExec_t& joined);

}  // namespace vrp
