// The graph transformer in torch's operators, for any type and device, with gradients by autograd.
// graph_transformer_layout.h lists its parameters. core/kernels/encoder/encoder.h and
// attention_decoder.h describe the mathematics. Needs torch.
#pragma once

#include <memory>

#include "core/model/graph_transformer/graph_transformer_options.h"
#include "core/model/torch/network.h"

namespace vrp {

std::unique_ptr<TorchNetwork> MakeTorchGraphTransformer(const GraphTransformerOptions& options);

}  // namespace vrp
