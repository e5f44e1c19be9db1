// The networks in torch's operators, for any type and device, with gradients by autograd. Each
// architecture's folder lists its parameters (`*_architecture.h`) and describes its mathematics:
// cpu_pointer_network.h; core/kernels/encoder/encoder.h and attention_decoder.h for the graph
// transformer. engines.cc makes their engines. Needs torch.
#pragma once

#include <memory>

#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/torch/network.h"

namespace vrp {

std::unique_ptr<TorchNetwork> MakeTorchGraphTransformer(const GraphTransformerOptions& options);
std::unique_ptr<TorchNetwork> MakeTorchPointerNetwork(const PointerNetworkOptions& options);

}  // namespace vrp
