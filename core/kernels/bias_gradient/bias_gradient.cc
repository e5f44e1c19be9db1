#include "core/kernels/bias_gradient/bias_gradient.h"

#include <algorithm>

namespace vrp {

template <typename T>
void SumBiasGradientOnCpu(const BiasGradientTask<T>& task) {
  std::fill_n(task.sums, task.blocks() * task.columns, 0.0F);
  for (int64_t row = 0; row < task.rows; ++row) {
    float* const sums = task.sums + row / kBiasRows * task.columns;
    for (int64_t c = 0; c < task.columns; ++c) {
      const int64_t at = row * task.columns + c;
      const bool passes = task.active == nullptr || !(ToFloat(task.active[at]) <= 0);
      const float gradient = passes ? ToFloat(task.gradient[at]) : 0;
      if (task.gated != nullptr) StoreFloat(gradient, task.gated[at]);
      sums[c] += gradient;
    }
  }
}

template void SumBiasGradientOnCpu(const BiasGradientTask<float>&);
template void SumBiasGradientOnCpu(const BiasGradientTask<Bf16Value>&);

}  // namespace vrp
