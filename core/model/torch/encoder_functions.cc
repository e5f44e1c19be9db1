#include "core/model/torch/encoder_functions.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/device/device_stream.h"
#include "core/kernels/bias_gradient/bias_gradient.h"

namespace vrp {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Fused attention needs rows of a bias whose distance is a multiple of this number of elements.
constexpr int64_t kBiasAlignment = 16;
// Fused attention needs heads whose size is a multiple of this number, in all types.
constexpr int64_t kHeadAlignment = 8;
// Maximum number of instances in one launch of fused attention.
constexpr int64_t kMaxAttentionBatch = 65535;

// Returns `tensor` in autocast's type if autocast is on for its device. Autocast caches the result
// of a parameter.
at::Tensor InAutocastType(const at::Tensor& tensor) {
  const at::DeviceType device = tensor.device().type();
  if (!at::autocast::is_autocast_enabled(device)) return tensor;
  return at::autocast::cached_cast(at::autocast::get_autocast_dtype(device), tensor, device);
}

// Writes the gradient behind the activation, and returns the bias's gradient [O] float.
template <typename T>
at::Tensor BiasGradient(const at::Tensor& given, const at::Tensor& active,
                        const at::Tensor& gated) {
  BiasGradientTask<T> task = {.rows = given.size(0),
                              .columns = static_cast<int32_t>(given.size(1)),
                              .gradient = static_cast<const T*>(given.const_data_ptr())};
  if (active.defined()) {
    task.active = static_cast<const T*>(active.const_data_ptr());
    task.gated = static_cast<T*>(gated.mutable_data_ptr());
  }
  const at::Tensor sums =
      at::empty({task.blocks(), given.size(1)}, given.options().dtype(at::kFloat));
  task.sums = sums.mutable_data_ptr<float>();
  if (given.is_cpu()) {
    SumBiasGradientOnCpu(task);
  } else {
    const absl::Status status = SumBiasGradientOnCuda(task, CurrentStream(given.device().index()));
    TORCH_CHECK(status.ok(), status.message());
  }
  return sums.sum(0);
}

class LinearFunction : public torch::autograd::Function<LinearFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, bool relu) {
    const at::Tensor rows = x.reshape({-1, x.size(2)});
    const at::Tensor added = bias.to(rows.scalar_type());
    const at::Tensor result =
        relu ? at::_addmm_activation(added, rows, weight.t()) : at::addmm(added, rows, weight.t());
    context->saved_data["shape"] = x.sizes();
    context->save_for_backward({rows, weight, relu ? result : at::Tensor()});
    return result.view({x.size(0), x.size(1), -1});
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& active = saved[2];
    const at::Tensor given = gradients[0].contiguous().view({-1, saved[1].size(0)});
    const c10::DeviceGuard guard(given.device());
    const at::Tensor gated = active.defined() ? at::empty_like(given) : given;
    const at::Tensor of_bias = FitsKernel(given) ? SumByKernel(given, active, gated)
                                                 : SumByOperators(given, active, gated);
    return {at::mm(gated, saved[1]).view(context->saved_data["shape"].toIntVector()),
            at::mm(gated.t(), saved[0]), of_bias, at::Tensor()};
  }

 private:
  static bool FitsKernel(const at::Tensor& rows) {
    const at::ScalarType type = rows.scalar_type();
    return rows.size(1) % kBiasVector == 0 && (type == at::kFloat || type == at::kBFloat16);
  }
  static at::Tensor SumByKernel(const at::Tensor& given, const at::Tensor& active,
                                const at::Tensor& gated) {
    return given.scalar_type() == at::kFloat ? BiasGradient<float>(given, active, gated)
                                             : BiasGradient<Bf16Value>(given, active, gated);
  }
  static at::Tensor SumByOperators(const at::Tensor& given, const at::Tensor& active,
                                   at::Tensor gated) {
    if (active.defined()) at::threshold_backward_out(gated, given, active, 0);
    return gated.sum(0, false, at::kFloat);
  }
};

// Returns part 0 (queries), 1 (keys) or 2 (values) of `qkv` [B, N, 3H] as [B, N, M, D].
at::Tensor PartOfHeads(const at::Tensor& qkv, int64_t heads, int64_t part) {
  return qkv.view({qkv.size(0), qkv.size(1), 3, heads, -1}).select(2, part);
}

// Torch's fused attention. Unlike autograd's, its backward pass writes one gradient of `qkv`. The
// bias is optional because torch refuses undefined tensors as a function's inputs.
class SelfAttentionFunction : public torch::autograd::Function<SelfAttentionFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv,
                            const std::optional<at::Tensor>& given_bias, int64_t heads,
                            bool with_gradient) {
    const at::Tensor bias = given_bias.value_or(at::Tensor());
    const auto part = [&](int64_t which) { return PartOfHeads(qkv, heads, which).transpose(1, 2); };
    const std::optional<at::Tensor> added = Expanded(bias, heads);
    const auto [seen, sums, seed, offset] = at::_scaled_dot_product_efficient_attention(
        part(0), part(1), part(2), added, with_gradient);
    context->saved_data["heads"] = heads;
    context->saved_data["bias_gradient"] = bias.defined() && bias.requires_grad();
    context->save_for_backward({qkv, bias, seen, sums, seed, offset});
    return seen.transpose(1, 2).flatten(2);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const int64_t heads = context->saved_data["heads"].toInt();
    const at::Tensor& qkv = saved[0];
    const int64_t nodes = qkv.size(1);
    const at::Tensor given = gradients[0].contiguous().view({qkv.size(0), nodes, heads, -1});
    // The gradients of queries, keys and values share one tensor [B, N, 3, M, D].
    const auto [of_query, of_key, of_value, of_bias] = at::_efficient_attention_backward(
        given, PartOfHeads(qkv, heads, 0), PartOfHeads(qkv, heads, 1), PartOfHeads(qkv, heads, 2),
        Expanded(saved[1], heads), saved[2].transpose(1, 2), std::nullopt, std::nullopt, nodes,
        nodes, saved[3], 0.0, saved[4], saved[5], 0, context->saved_data["bias_gradient"].toBool(),
        std::nullopt, std::nullopt, std::nullopt, true);
    TORCH_CHECK(of_query.stride(1) == qkv.size(2) && of_value.stride(1) == qkv.size(2),
                "attention: the gradients do not share a tensor");
    const at::Tensor of_qkv =
        of_query.as_strided(qkv.sizes(), {qkv.size(2) * nodes, qkv.size(2), 1});
    return {of_qkv, of_bias, at::Tensor(), at::Tensor()};
  }

 private:
  static std::optional<at::Tensor> Expanded(const at::Tensor& bias, int64_t heads) {
    if (!bias.defined()) return std::nullopt;
    const int64_t nodes = bias.size(3);
    return bias.expand({bias.size(0), heads, nodes, nodes});
  }
};

}  // namespace

at::Tensor Linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return LinearFunction::apply(InAutocastType(x), InAutocastType(weight), bias, false);
}

at::Tensor LinearRelu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return LinearFunction::apply(InAutocastType(x), InAutocastType(weight), bias, true);
}

at::Tensor AlignedBias(const at::Tensor& bias) {
  const int64_t missing = (kBiasAlignment - bias.size(-1) % kBiasAlignment) % kBiasAlignment;
  if (missing == 0) return bias.contiguous();
  return at::constant_pad_nd(bias, {0, missing}).narrow(-1, 0, bias.size(-1));
}

at::Tensor SelfAttention(const at::Tensor& qkv, int64_t heads, const at::Tensor& bias) {
  const int64_t width = qkv.size(2) / (3 * heads);
  const auto given = bias.defined() ? std::optional(bias) : std::nullopt;
  if (qkv.is_cuda() && width % kHeadAlignment == 0 && qkv.size(0) <= kMaxAttentionBatch) {
    return SelfAttentionFunction::apply(qkv, given, heads, c10::GradMode::is_enabled());
  }
  const auto part = [&](int64_t which) { return PartOfHeads(qkv, heads, which).transpose(1, 2); };
  at::Tensor seen;
  if (qkv.is_cuda()) {
    seen = at::scaled_dot_product_attention(part(0), part(1), part(2), given);
  } else {
    const at::Tensor scores =
        at::matmul(part(0) * (1 / std::sqrt(static_cast<double>(width))), part(1).transpose(2, 3));
    seen = at::matmul(at::softmax(bias.defined() ? scores + bias : scores, -1), part(2));
  }
  return seen.transpose(1, 2).flatten(2);
}

}  // namespace vrp
