// Parts of a transformer's encoder with backward passes of our own, which launch fewer kernels and
// copy less than autograd's. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace vrp {

// Returns `tensor` in autocast's type if autocast is on for its device. Autocast caches the result
// of a parameter.
at::Tensor InAutocastType(const at::Tensor& tensor);

// Returns relu(x weight^T + bias) for x [B, N, I]. All have the same type. The activation is a part
// of the product's kernel.
at::Tensor LinearRelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Returns self-attention [B, N, H] of `qkv` [B, N, 3H], which holds queries, keys and values, each
// by heads. `bias` is undefined or can be expanded to [B, M, N, N]; it has the type of `qkv`. On
// CUDA, its rows must be aligned by AlignedBias.
at::Tensor SelfAttention(const at::Tensor& qkv, int64_t heads, const at::Tensor& bias);

// Returns `bias` [..., N] with rows whose distance in memory suits fused attention.
at::Tensor AlignedBias(const at::Tensor& bias);

}  // namespace vrp
