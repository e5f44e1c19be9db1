// The graph transformer in torch's operators: any type and device, gradients by autograd. Its
// parameters are those of graph_transformer_layout.h; the mathematics stands in
// core/kernels/encoder/encoder.h and attention_decoder.h, which do the same by hand on the CPU.
// Needs torch.
#pragma once

#include <memory>

#include "core/model/graph_transformer/graph_transformer_options.h"
#include "core/model/torch/network.h"

namespace vrp {

std::unique_ptr<TorchNetwork> MakeTorchGraphTransformer(const GraphTransformerOptions& options);

}  // namespace vrp
