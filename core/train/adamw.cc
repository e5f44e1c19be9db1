#include "core/train/adamw.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vrp {
namespace {

constexpr int64_t kPiece = int64_t{1} << 16;
constexpr int64_t kBlock = 4096;

void ForEach(CpuPool* pool, int64_t count, absl::FunctionRef<void(int64_t)> body) {
  if (pool != nullptr && count > 1) return pool->ParallelFor(count, body);
  for (int64_t i = 0; i < count; ++i) body(i);
}

struct Factors {
  float beta1;
  float beta2;
  float epsilon;
  float scale;      // of the gradient
  float rate;       // learning rate / bias correction of the mean
  float root;       // 1 / square root of the bias correction of the square
  float shrinkage;  // 1 - learning rate * weight decay
};

void Update(const Factors& f, std::span<float> values, std::span<const float> gradient,
            std::span<float> mean, std::span<float> square) {
  float* const value = values.data();
  const float* const slope = gradient.data();
  float* const first = mean.data();
  float* const second = square.data();
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) {
    const float g = f.scale * slope[i];
    const float m = f.beta1 * first[i] + (1 - f.beta1) * g;
    const float v = f.beta2 * second[i] + (1 - f.beta2) * (g * g);
    first[i] = m;
    second[i] = v;
    value[i] = f.shrinkage * value[i] - f.rate * m / (std::sqrt(v) * f.root + f.epsilon);
  }
}

// Eight running sums, so that the compiler can keep them in a vector without changing the order.
double SquareSum(std::span<const float> block) {
  constexpr size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  size_t i = 0;
  for (; i + kLanes <= block.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const double value = block[i + lane];
      sums[lane] += value * value;
    }
  }
  for (size_t lane = 0; i < block.size(); ++i, ++lane) sums[lane] += double{block[i]} * block[i];
  double sum = 0;
  for (const double lane : sums) sum += lane;
  return sum;
}

}  // namespace

AdamW::AdamW(const ParameterLayout& layout, const AdamWOptions& options)
    : options_(options),
      mean_(static_cast<size_t>(layout.size())),
      square_(static_cast<size_t>(layout.size())) {
  int64_t at = 0;
  for (const ParameterShape& shape : layout.shapes()) {
    const int64_t end = at + ParameterLayout::Elements(shape);
    const bool decays = shape.shape.size() >= 2;
    if (!shape.frozen) {
      for (int64_t first = at; first < end; first += kPiece) {
        pieces_.push_back({first, std::min(kPiece, end - first), decays});
      }
    }
    at = end;
  }
}

void AdamW::Step(FlatParameters& parameters, double learning_rate, double scale, CpuPool* pool) {
  ++steps_;
  const auto steps = static_cast<double>(steps_);
  const auto factors = [&](bool decays) {
    return Factors{
        .beta1 = static_cast<float>(options_.beta1),
        .beta2 = static_cast<float>(options_.beta2),
        .epsilon = static_cast<float>(options_.epsilon),
        .scale = static_cast<float>(scale),
        .rate = static_cast<float>(learning_rate / (1 - std::pow(options_.beta1, steps))),
        .root = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, steps))),
        .shrinkage = decays ? static_cast<float>(1 - learning_rate * options_.weight_decay) : 1.0F};
  };
  const std::array<Factors, 2> by_decay = {factors(false), factors(true)};
  ForEach(pool, static_cast<int64_t>(pieces_.size()), [&](int64_t p) {
    const Piece& piece = pieces_[static_cast<size_t>(p)];
    const auto part = [&piece](auto span) {
      return span.subspan(static_cast<size_t>(piece.first), static_cast<size_t>(piece.count));
    };
    Update(by_decay[piece.decays ? 1 : 0], part(parameters.values()),
           part(std::span<const float>(parameters.gradient())), part(std::span(mean_)),
           part(std::span(square_)));
  });
}

double GradientNorm(std::span<const float> gradient, CpuPool* pool) {
  constexpr int64_t kBlocksATime = 16;
  const auto size = static_cast<int64_t>(gradient.size());
  const int64_t blocks = (size + kBlock - 1) / kBlock;
  std::vector<double> sums(static_cast<size_t>(blocks));
  ForEach(pool, (blocks + kBlocksATime - 1) / kBlocksATime, [&](int64_t part) {
    const int64_t last = std::min(blocks, (part + 1) * kBlocksATime);
    for (int64_t block = part * kBlocksATime; block < last; ++block) {
      const int64_t first = block * kBlock;
      sums[static_cast<size_t>(block)] = SquareSum(gradient.subspan(
          static_cast<size_t>(first), static_cast<size_t>(std::min(kBlock, size - first))));
    }
  });
  double sum = 0;
  for (const double block : sums) sum += block;
  return std::sqrt(sum);
}

}  // namespace vrp
