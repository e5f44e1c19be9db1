#include "core/model/policy/bf16_projections.h"

#include <algorithm>

namespace vrp {
namespace {

float* Scratch(std::vector<float>& work, int64_t size) {
  if (std::ssize(work) < size) work.resize(static_cast<size_t>(size));
  return work.data();
}

}  // namespace

Bf16Projections::Bf16Projections(int64_t outputs, int64_t inputs, Bf16 bf16)
    : kernels_(Bf16LstmKernelsFor(bf16)),
      outputs_(outputs),
      inputs_(inputs),
      forward_(static_cast<size_t>(outputs * inputs)),
      back_(forward_.size()) {}

void Bf16Projections::Pack(const float* weights) {
  kernels_.pack(weights, outputs_, inputs_, forward_.data(), back_.data());
}

void Bf16Projections::Multiply(Rows<const float> a, const std::vector<float>& packed,
                               DenseShape shape, Rows<float> to, float* work) const {
  kernels_.multiply({.rows = shape.rows,
                     .inner = shape.inner,
                     .columns = shape.columns,
                     .a = a.data,
                     .a_stride = a.stride,
                     .packed = packed.data(),
                     .to = to.data,
                     .to_stride = to.stride,
                     .work = work});
}

void Bf16Projections::Forward(Rows<const float> x, int64_t rows, Rows<float> y,
                              std::vector<float>& work) const {
  Multiply(x, forward_, {rows, inputs_, outputs_}, y,
           Scratch(work, kernels_.work_size(rows, inputs_)));
}

void Bf16Projections::Backward(Rows<const float> dy, const float* x, int64_t rows, Rows<float> dx,
                               float* d_weights, std::vector<float>& work) const {
  float* const scratch =
      Scratch(work, std::max(kernels_.work_size(rows, outputs_), kernels_.weight_scratch(inputs_)));
  Multiply(dy, back_, {rows, outputs_, inputs_}, dx, scratch);
  kernels_.add_weight_gradient({.rows = rows,
                                .a = dy.data,
                                .a_stride = dy.stride,
                                .outputs = outputs_,
                                .b = x,
                                .inputs = inputs_,
                                .weights = d_weights,
                                .bias = nullptr,
                                .scratch = scratch});
}

}  // namespace vrp
