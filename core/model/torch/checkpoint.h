// Gradient checkpointing (Chen et al. 2016, "Training deep nets with sublinear memory cost"): the
// backward pass computes the activations of a part of the network again. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace vrp {

// Returns body(inputs) and keeps only `inputs` for the backward pass. `body` must be deterministic.
// It must reach every tensor that needs a gradient through `inputs` or as a leaf. Leaves are
// parameters: the second computation adds their gradients itself. Both computations use the
// autocast of the first. Supports only Tensor::backward().
at::Tensor Checkpointed(std::function<at::Tensor(const std::vector<at::Tensor>&)> body,
                        std::vector<at::Tensor> inputs);

}  // namespace vrp
