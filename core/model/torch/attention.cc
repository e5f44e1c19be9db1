#include "core/model/torch/attention.h"

#include <ATen/ATen.h>

#include <cmath>

namespace vrp {

at::Tensor Attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const at::Tensor& bias) {
  // Otherwise torch silently multiplies the matrices in float32.
  TORCH_CHECK(bias.stride(-1) == 1, "attention: the bias is not contiguous over nodes");
  if (query.is_cuda()) {
    return at::scaled_dot_product_attention(query, key, value, bias.to(query.scalar_type()));
  }
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(3)));
  const at::Tensor scores = at::matmul(query * scale, key.transpose(2, 3)) + bias;
  return at::matmul(at::softmax(scores, -1), value);
}

at::Tensor SplitHeads(const at::Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor JoinHeads(const at::Tensor& x) { return x.transpose(1, 2).flatten(2); }

}  // namespace vrp
