#include "core/model/torch/residual_norm.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <utility>

#include "core/device/device_stream.h"
#include "core/kernels/residual_norm/residual_norm.h"

namespace vrp {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Calls body(T()) with the type of the elements of `x`, float or Bf16Value.
template <typename Body>
void WithElementType(const at::Tensor& x, const Body& body) {
  if (x.scalar_type() == at::kBFloat16) return body(Bf16Value());
  TORCH_CHECK(x.scalar_type() == at::kFloat, "instance norm: got nodes of type ", x.scalar_type(),
              ", wanted float or bf16");
  body(0.0F);
}

template <typename T>
T* DataOf(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<T*>(tensor.mutable_data_ptr()) : nullptr;
}

// The inputs of both passes, contiguous.
struct NormTensors {
  at::Tensor x;
  at::Tensor branch;
  at::Tensor sizes;
  at::Tensor scale;
  at::Tensor shift;  // undefined in the backward pass

  template <typename T>
  ResidualNormInputs<T> Inputs() const {
    return {.instances = static_cast<int32_t>(x.size(0)),
            .nodes = static_cast<int32_t>(x.size(1)),
            .hidden = static_cast<int32_t>(x.size(2)),
            .sizes = DataOf<const float>(sizes),
            .x = DataOf<const T>(x),
            .branch = DataOf<const T>(branch),
            .scale = DataOf<const float>(scale),
            .shift = DataOf<const float>(shift)};
  }
  void* stream() const { return CurrentStream(x.device().index()); }
};

// Checks what the kernels need to load several channels at once.
void CheckNormTensors(const NormTensors& tensors) {
  TORCH_CHECK(tensors.branch.sizes() == tensors.x.sizes() &&
                  tensors.branch.scalar_type() == tensors.x.scalar_type(),
              "instance norm: got branches ", tensors.branch.sizes(), " of type ",
              tensors.branch.scalar_type(), ", wanted those of the nodes");
  TORCH_CHECK(tensors.x.size(2) % kNormVector == 0, "instance norm: got ", tensors.x.size(2),
              " channels, wanted a multiple of ", kNormVector);
  for (const at::Tensor& affine : {tensors.scale, tensors.shift}) {
    TORCH_CHECK(
        reinterpret_cast<uintptr_t>(affine.const_data_ptr()) % (kNormVector * sizeof(float)) == 0,
        "instance norm: the scale or the shift is not aligned");
  }
}

class ResidualNormFunction : public torch::autograd::Function<ResidualNormFunction> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& x,
                               const at::Tensor& branch, const at::Tensor& sizes,
                               const at::Tensor& scale, const at::Tensor& shift) {
    const c10::DeviceGuard guard(x.device());
    const NormTensors tensors = {x.contiguous(), branch.contiguous(), sizes, scale, shift};
    CheckNormTensors(tensors);
    const at::Tensor normed = at::empty_like(tensors.x);
    const at::Tensor mean = at::empty({x.size(0), x.size(2)}, scale.options());
    const at::Tensor inverse = at::empty_like(mean);
    WithElementType(x, [&]<typename T>(T) {
      const ResidualNormOutputs<T> outputs = {.normed = DataOf<T>(normed),
                                              .mean = DataOf<float>(mean),
                                              .inverse = DataOf<float>(inverse)};
      if (x.is_cpu()) return ResidualNormOnCpu(tensors.Inputs<T>(), outputs);
      const absl::Status status =
          ResidualNormOnCuda(tensors.Inputs<T>(), outputs, tensors.stream());
      TORCH_CHECK(status.ok(), status.message());
    });
    context->set_materialize_grads(false);
    context->save_for_backward({tensors.x, tensors.branch, sizes, scale, mean, inverse});
    return {normed, normed.variable_data()};
  }

  static variable_list backward(AutogradContext* context, variable_list given) {
    const variable_list saved = context->get_saved_variables();
    const NormTensors tensors = {saved[0], saved[1], saved[2], saved[3], {}};
    const c10::DeviceGuard guard(tensors.x.device());
    for (at::Tensor& gradient : given) {
      if (gradient.defined()) gradient = gradient.contiguous();
    }
    if (!given[0].defined()) std::swap(given[0], given[1]);
    if (!given[0].defined()) return {{}, {}, {}, {}, {}};
    const at::Tensor sum = at::empty_like(tensors.x);
    const at::Tensor affine =
        at::empty({tensors.x.size(0), 2, tensors.x.size(2)}, tensors.scale.options());
    WithElementType(tensors.x, [&]<typename T>(T) {
      const ResidualNormGradient<T> gradient = {.mean = DataOf<const float>(saved[4]),
                                                .inverse = DataOf<const float>(saved[5]),
                                                .first = DataOf<const T>(given[0]),
                                                .second = DataOf<const T>(given[1]),
                                                .sum = DataOf<T>(sum),
                                                .affine = DataOf<float>(affine)};
      if (sum.is_cpu()) return ResidualNormBackwardOnCpu(tensors.Inputs<T>(), gradient);
      const absl::Status status =
          ResidualNormBackwardOnCuda(tensors.Inputs<T>(), gradient, tensors.stream());
      TORCH_CHECK(status.ok(), status.message());
    });
    const at::Tensor of_affine = affine.sum(0);
    return {sum, sum, at::Tensor(), of_affine[0], of_affine[1]};
  }
};

}  // namespace

NormedNodes ResidualNorm(const at::Tensor& x, const at::Tensor& branch, const at::Tensor& sizes,
                         const NormAffine& affine) {
  const variable_list normed =
      ResidualNormFunction::apply(x, branch, sizes, affine.scale, affine.shift);
  return {.nodes = normed[0], .residual = normed[1]};
}

}  // namespace vrp
