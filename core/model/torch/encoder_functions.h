// Parts of a transformer's encoder with backward passes of our own, which launch fewer kernels and
// copy less than autograd's. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace vrp {

// Returns x weight^T + bias for x [B, N, I], in autocast's type if autocast is on. The backward
// pass reads the gradient once for the bias, and sums it in float.
at::Tensor Linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
// Returns relu(Linear(x, weight, bias)). The activation is a part of the product's kernel, and of
// the kernel of the bias's gradient.
at::Tensor LinearRelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Returns self-attention [B, N, H] of `qkv` [B, N, 3H], which holds queries, keys and values, each
// by heads. `bias` is undefined or can be expanded to [B, M, N, N]; it has the type of `qkv`. On
// CUDA, its rows must be aligned by AlignedBias.
at::Tensor SelfAttention(const at::Tensor& qkv, int64_t heads, const at::Tensor& bias);

// Returns `bias` [..., N] with rows whose distance in memory suits fused attention.
at::Tensor AlignedBias(const at::Tensor& bias);

}  // namespace vrp
