#include "core/train/optimiser/adamw.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vrp {
namespace {

constexpr int32_t kPiece = int32_t{1} << 16;  // largest number of parameters of an UpdatePiece

void ParallelForEach(CpuPool* pool, int64_t count, absl::FunctionRef<void(int64_t)> body) {
  if (pool != nullptr && count > 1) return pool->ParallelFor(count, body);
  for (int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace

AdamW::AdamW(const ParameterLayout& layout, const AdamWOptions& options)
    : options_(options),
      pieces_(UpdatePieces(layout, kPiece)),
      mean_(static_cast<size_t>(layout.size())),
      square_(static_cast<size_t>(layout.size())) {}

void AdamW::Step(FlatParameters& parameters, double learning_rate, double scale, CpuPool* pool) {
  ++steps_;
  std::array<AdamWFactors, 2> by_decay;
  for (const bool decays : {false, true}) {
    by_decay[decays ? 1 : 0] = FactorsOf(
        options_,
        {.learning_rate = learning_rate, .scale = scale, .updates = steps_, .decays = decays});
  }
  const UpdateArrays arrays = {.values = parameters.values().data(),
                               .gradient = parameters.gradient().data(),
                               .mean = mean_.data(),
                               .square = square_.data()};
  ParallelForEach(pool, static_cast<int64_t>(pieces_.size()), [&](int64_t p) {
    const UpdatePiece& piece = pieces_[static_cast<size_t>(p)];
    UpdateParameters(SerialGroup(), by_decay[piece.decays ? 1 : 0], piece, arrays);
  });
}

double GradientNorm(std::span<const float> gradient, CpuPool* pool) {
  constexpr int64_t kBlocksPerPart = 16;
  const auto size = static_cast<int64_t>(gradient.size());
  const int64_t blocks = NormBlocks(size);
  std::vector<double> sums(static_cast<size_t>(blocks));
  ParallelForEach(pool, (blocks + kBlocksPerPart - 1) / kBlocksPerPart, [&](int64_t part) {
    std::array<double, kNormLanes> lanes;
    const int64_t last = std::min(blocks, (part + 1) * kBlocksPerPart);
    for (int64_t block = part * kBlocksPerPart; block < last; ++block) {
      sums[static_cast<size_t>(block)] =
          SquaresOfBlock(SerialGroup(), gradient.data(), size, block, lanes.data());
    }
  });
  std::array<double, kNormLanes> lanes;
  return std::sqrt(SumInOrder(SerialGroup(), blocks, lanes.data(),
                              [&](int64_t block) { return sums[static_cast<size_t>(block)]; }));
}

}  // namespace vrp
