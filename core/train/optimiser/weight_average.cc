#include "core/train/optimiser/weight_average.h"

#include <algorithm>

#include "core/kernels/optimiser/weight_average_step.h"

namespace vrp {
namespace {

absl::Status Swap(WeightAverage& average, PolicyEngine& engine) {
  const std::span<float> values = engine.parameters().values();
  std::swap_ranges(values.begin(), values.end(), average.values().begin());
  return engine.ParametersChanged();
}

}  // namespace

WeightAverage::WeightAverage(double decay, std::span<const float> weights)
    : decay_(decay), values_(weights.begin(), weights.end()) {}

void WeightAverage::Add(std::span<const float> weights, int64_t step, CpuPool* pool) {
  constexpr int64_t kPiece = int64_t{1} << 16;
  const float share = AverageShare(decay_, step);
  const auto size = static_cast<int64_t>(values_.size());
  const auto add = [&](int64_t piece) {
    const auto end = static_cast<size_t>(std::min(size, (piece + 1) * kPiece));
    for (auto i = static_cast<size_t>(piece * kPiece); i < end; ++i) {
      values_[i] = MovedAverage(values_[i], weights[i], share);
    }
  };
  const int64_t pieces = (size + kPiece - 1) / kPiece;
  if (pool != nullptr && pieces > 1) return pool->ParallelFor(pieces, add);
  for (int64_t piece = 0; piece < pieces; ++piece) add(piece);
}

absl::Status WithAveragedWeights(std::optional<WeightAverage>& average, PolicyEngine& engine,
                                 absl::FunctionRef<absl::Status()> work) {
  if (!average.has_value()) return work();
  absl::Status status = Swap(*average, engine);
  if (status.ok()) status = work();
  status.Update(Swap(*average, engine));
  return status;
}

}  // namespace vrp
