// Attention by heads in torch's operators. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace vrp {

// Returns attention with an additive mask or bias [B, M or 1, Q, N]. `query` is [B, M, Q, D], `key`
// and `value` are [B, M, N, D]. The attention is fused on CUDA; on the CPU the fused form is slower
// in bf16.
at::Tensor Attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const at::Tensor& bias);

// SplitHeads returns [B, Q, H] as [B, M, Q, D]. JoinHeads does the reverse.
at::Tensor SplitHeads(const at::Tensor& x, int64_t heads);
at::Tensor JoinHeads(const at::Tensor& x);

}  // namespace vrp
