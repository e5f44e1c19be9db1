#include "core/kernels/dropout/dropout_mask.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

constexpr int32_t kLength = 5;
constexpr int32_t kMaskSequences = 6;
constexpr int32_t kUnits = 64;

std::vector<float> MaskOf(DropoutMask mask) {
  std::vector<float> factors(size_t{kLength} * kMaskSequences * kUnits, -1);
  mask.rate = DropoutRateOf(0.25);
  mask.length = kLength;
  mask.sequences = kMaskSequences;
  mask.hidden = kUnits;
  mask.factors = factors.data();
  WriteMaskOnCpu(mask);
  return factors;
}

TEST(DropoutMaskTest, DropsUnitsAtItsRateAndScalesTheRest) {
  const std::vector<float> factors = MaskOf({.key = {.seed = 3, .layer = 1}});
  const auto dropped = std::ranges::count(factors, 0.0F);
  const auto scaled = std::ranges::count(factors, 4.0F / 3);
  EXPECT_EQ(dropped + scaled, std::ssize(factors));
  EXPECT_NEAR(static_cast<double>(dropped) / static_cast<double>(factors.size()), 0.25, 0.03);
}

TEST(DropoutMaskTest, DependsOnTheSequencesNumberAndTheLayer) {
  const std::vector<float> factors = MaskOf({.key = {.seed = 3, .stream = 9, .layer = 1}});
  const std::vector<float> later =
      MaskOf({.key = {.seed = 3, .stream = 9, .sequence = 2, .layer = 1}});
  for (size_t t = 0; t < kLength; ++t) {
    for (size_t r = 0; r + 2 < kMaskSequences; ++r) {
      const auto row = [&](const std::vector<float>& mask, size_t sequence) {
        const auto first =
            mask.begin() + static_cast<std::ptrdiff_t>((t * kMaskSequences + sequence) * kUnits);
        return std::vector<float>(first, first + kUnits);
      };
      EXPECT_EQ(row(later, r), row(factors, r + 2));
      EXPECT_NE(row(later, r), row(factors, r));
    }
  }
  EXPECT_NE(factors, MaskOf({.key = {.seed = 3, .stream = 9, .layer = 2}}));
  EXPECT_NE(factors, MaskOf({.key = {.seed = 3, .stream = 9, .layer = 1, .decoder = true}}));
}

TEST(DropoutMaskTest, AddsEarlierStepsToTheStream) {
  const int64_t done = 4;
  EXPECT_EQ(MaskOf({.key = {.seed = 3, .stream = 1, .layer = 1}, .steps = &done}),
            MaskOf({.key = {.seed = 3, .stream = 5, .layer = 1}}));
}

}  // namespace
}  // namespace vrp
