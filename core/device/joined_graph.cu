#include "core/device/joined_graph.h"

namespace vrp {
namespace {

constexpr int kThreads = 1024;  // threads in SetConditionKernel's block

// Sets `condition` to whether any flag is set. Runs as one block, whose first thread sets the
// condition.
__global__ void __launch_bounds__(kThreads)
    SetConditionKernel(cudaGraphConditionalHandle condition, StepFlags flags) {
  bool any = false;
  for (int64_t i = threadIdx.x; i < flags.count && !any; i += kThreads) any = flags.flags[i] != 0;
  const bool found = __syncthreads_or(any) != 0;
  if (threadIdx.x == 0) cudaGraphSetConditional(condition, found ? 1 : 0);
}

// Adds `node` after `last`, which may be null, and makes it the new `last`.
cudaError_t Append(cudaGraph_t graph, cudaGraphNodeParams& node, cudaGraphNode_t& last) {
  const cudaGraphNode_t before = last;
  const bool first = before == nullptr;
  return cudaGraphAddNode(&last, graph, first ? nullptr : &before, nullptr, first ? 0 : 1, &node);
}

cudaError_t AppendGraph(cudaGraph_t graph, cudaGraph_t added, cudaGraphNode_t& last) {
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeGraph;
  node.graph.graph = added;
  return Append(graph, node, last);
}

cudaError_t AppendConditionKernel(cudaGraph_t graph, cudaGraphConditionalHandle condition,
                                  StepFlags flags, cudaGraphNode_t& last) {
  void* arguments[] = {&condition, &flags};
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = reinterpret_cast<void*>(SetConditionKernel);
  node.kernel.gridDim = dim3(1);
  node.kernel.blockDim = dim3(kThreads);
  node.kernel.kernelParams = arguments;
  return Append(graph, node, last);
}

cudaError_t AppendConditional(cudaGraph_t graph, const GraphPart& part, cudaGraphNode_t& last) {
  cudaGraphConditionalHandle condition = {};
  if (const cudaError_t error =
          cudaGraphConditionalHandleCreate(&condition, graph, 0, cudaGraphCondAssignDefault);
      error != cudaSuccess) {
    return error;
  }
  if (const cudaError_t error = AppendConditionKernel(graph, condition, part.condition, last);
      error != cudaSuccess) {
    return error;
  }
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = condition;
  node.conditional.type = cudaGraphCondTypeIf;
  node.conditional.size = 1;
  if (const cudaError_t error = Append(graph, node, last); error != cudaSuccess) return error;
  cudaGraphNode_t last_inside = nullptr;
  return AppendGraph(node.conditional.phGraph_out[0], part.graph, last_inside);
}

cudaError_t AppendParts(cudaGraph_t graph, std::span<const GraphPart> parts) {
  cudaGraphNode_t last = nullptr;
  for (const GraphPart& part : parts) {
    size_t nodes = 0;
    if (const cudaError_t error = cudaGraphGetNodes(part.graph, nullptr, &nodes);
        error != cudaSuccess) {
      return error;
    }
    if (nodes == 0) continue;  // some drivers refuse empty graphs
    const bool always = part.condition.count == 0;
    if (const cudaError_t error =
            always ? AppendGraph(graph, part.graph, last) : AppendConditional(graph, part, last);
        error != cudaSuccess) {
      return error;
    }
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t JoinGraphs(std::span<const GraphPart> parts, cudaGraphExec_t& joined) {
  cudaGraph_t graph = nullptr;
  if (const cudaError_t error = cudaGraphCreate(&graph, 0); error != cudaSuccess) return error;
  cudaError_t error = AppendParts(graph, parts);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&joined, graph, 0);
  cudaGraphDestroy(graph);  // the executable graph is a copy
  return error;
}

}  // namespace vrp
