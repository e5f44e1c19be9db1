#include "core/train/weight_average.h"

#include <algorithm>

#include "core/kernels/weight_average_step.h"

namespace vrp {

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

AveragedWeights::AveragedWeights(std::optional<WeightAverage>& average, PolicyEngine& engine)
    : average_(average), engine_(engine) {
  Swap();
}

AveragedWeights::~AveragedWeights() { Swap(); }

void AveragedWeights::Swap() {
  if (!average_.has_value()) return;
  const std::span<float> values = engine_.parameters().values();
  std::swap_ranges(values.begin(), values.end(), average_->values().begin());
  engine_.ParametersChanged();
}

}  // namespace vrp
