// The graph transformer's encoder in torch's operators: one for all devices and types, and a faster
// one. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/network_inputs.h"
#include "core/model/torch/batch.h"
#include "core/model/torch/parameters.h"

namespace vrp {

// An encoder and the batch to encode. It must not outlive what it refers to.
struct GraphEncoder {
  const GraphTransformerOptions& options;
  const NetworkInputs& inputs;
  const TorchParameters& parameters;
  const TorchBatch& batch;
  bool gradient_checkpointing = false;  // as in EngineOptions
};

// Returns the nodes' encodings [B, N, H], 0 in the padding. Works for all networks.
at::Tensor EncodeByOperators(const GraphEncoder& encoder);

// Whether EncodeFused supports the network and is faster: on CUDA, for instance norms.
bool HasFusedEncoder(const GraphEncoder& encoder);
// Returns the same encodings, computed by fewer kernels. Under autocast to bf16, the encodings and
// the residual connections have that type, too. Sums over nodes and channels are in float.
at::Tensor EncodeFused(const GraphEncoder& encoder);

// Returns `weight` [M, E] times `edges` [B, E, N * N] as [B, M, N, N].
at::Tensor EdgeBias(const at::Tensor& weight, const at::Tensor& edges, int64_t nodes);
// Returns [B, N] bool: whether a node is a depot.
at::Tensor IsDepot(const TorchBatch& batch);

}  // namespace vrp
