// Residual connections with instance norms in one kernel per pass, with autograd. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

namespace vrp {

// Nodes [B, N, H] as two tensors with the same memory: one for the next layer's products and one
// for its residual connection. Their gradients reach the norm's backward kernel separately, which
// adds them.
struct NormedNodes {
  at::Tensor nodes;
  at::Tensor residual;
};

// The parameters of a norm, [H] float.
struct NormAffine {
  at::Tensor scale;
  at::Tensor shift;
};

// Returns the instance norm of x + branch, 0 in the padding (core/kernels/residual_norm). `x` and
// `branch` [B, N, H] are both float or both bf16; `sizes` [B] float has the numbers of valid nodes.
// Ignores the padding's gradients.
NormedNodes ResidualNorm(const at::Tensor& x, const at::Tensor& branch, const at::Tensor& sizes,
                         const NormAffine& affine);

}  // namespace vrp
