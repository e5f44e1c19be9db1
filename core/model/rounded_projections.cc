#include "core/model/rounded_projections.h"

#include <algorithm>

namespace vrp {
namespace {

float* Room(std::vector<float>& work, int64_t size) {
  if (std::ssize(work) < size) work.resize(static_cast<size_t>(size));
  return work.data();
}

}  // namespace

RoundedProjections::RoundedProjections(int64_t outputs, int64_t inputs, Bf16 bf16)
    : kernels_(Bf16LstmKernelsFor(bf16)),
      outputs_(outputs),
      inputs_(inputs),
      forward_(static_cast<size_t>(outputs * inputs)),
      back_(forward_.size()) {}

void RoundedProjections::Pack(const float* weights) {
  kernels_.pack(weights, outputs_, inputs_, forward_.data(), back_.data());
}

void RoundedProjections::Forward(Rows<const float> x, int64_t rows, Rows<float> y,
                                 std::vector<float>& work) const {
  kernels_.multiply({.rows = rows,
                     .inner = inputs_,
                     .columns = outputs_,
                     .a = x.data,
                     .a_stride = x.stride,
                     .packed = forward_.data(),
                     .to = y.data,
                     .to_stride = y.stride,
                     .work = Room(work, kernels_.work_size(rows, inputs_))});
}

void RoundedProjections::Backward(Rows<const float> dy, const float* x, int64_t rows,
                                  Rows<float> dx, float* d_weights,
                                  std::vector<float>& work) const {
  const int64_t room =
      std::max(kernels_.work_size(rows, outputs_), kernels_.weight_scratch(inputs_));
  kernels_.multiply({.rows = rows,
                     .inner = outputs_,
                     .columns = inputs_,
                     .a = dy.data,
                     .a_stride = dy.stride,
                     .packed = back_.data(),
                     .to = dx.data,
                     .to_stride = dx.stride,
                     .work = Room(work, room)});
  kernels_.add_weight_gradient({.rows = rows,
                                .a = dy.data,
                                .a_stride = dy.stride,
                                .outputs = outputs_,
                                .b = x,
                                .inputs = inputs_,
                                .weights = d_weights,
                                .bias = nullptr,
                                .scratch = work.data()});
}

}  // namespace vrp
