// Gradient checkpointing (Chen et al. 2016, "Training deep nets with sublinear memory cost"): what
// a part of a network computes inside is not kept for the backward pass, but computed again there.
// Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace vrp {

// body(inputs), of which only `inputs` are kept. `body` must give the same at each call (no random
// numbers) and reach every tensor whose gradient it needs through `inputs` or as a leaf
// (parameters: the second computation adds their gradients itself). Runs under the autocast of the
// first call. Backward only by Tensor::backward().
at::Tensor Checkpointed(std::function<at::Tensor(const std::vector<at::Tensor>&)> body,
                        std::vector<at::Tensor> inputs);

}  // namespace vrp
