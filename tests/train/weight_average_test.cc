#include "core/train/optimiser/weight_average.h"

#include <algorithm>
#include <vector>

#include "core/base/random.h"
#include "gtest/gtest.h"
#include "tests/train/fake_engine.h"

namespace vrp {
namespace {

std::vector<float> RandomValues(size_t size, uint64_t step) {
  CounterRandom random(3, step);
  std::vector<float> values(size);
  for (float& value : values) value = random.UniformFloat();
  return values;
}

TEST(WeightAverage, UsesASmallerDecayInTheFirstSteps) {
  WeightAverage average(0.9, std::vector<float>{5});
  double expected = 5;
  for (int64_t step = 1; step <= 200; ++step) {
    const float weight = RandomValues(1, static_cast<uint64_t>(step))[0];
    const double decay = step < 80 ? (1.0 + step) / (10.0 + step) : 0.9;
    expected = decay * expected + (1 - decay) * weight;
    average.Add(std::vector<float>{weight}, step, nullptr);
    ASSERT_NEAR(average.values()[0], expected, 1e-6) << step;
  }
}

TEST(WeightAverage, GivesTheSameBitsOnAnyNumberOfThreads) {
  const std::vector<float> first = RandomValues(200'001, 0);
  WeightAverage alone(0.9, first);
  WeightAverage shared(0.9, first);
  CpuPool pool(3);
  for (int64_t step = 1; step <= 3; ++step) {
    const std::vector<float> weights = RandomValues(first.size(), static_cast<uint64_t>(step));
    alone.Add(weights, step, nullptr);
    shared.Add(weights, step, &pool);
  }
  EXPECT_TRUE(std::ranges::equal(alone.values(), shared.values()));
  EXPECT_FALSE(std::ranges::equal(alone.values(), first));
}

TEST(AveragedWeights, ReplaceTheEnginesWeightsDuringTheCall) {
  const auto engine = test::MakeFakeEngine({.seed = 1});
  const std::span<float> weights = engine->parameters().values();
  const std::vector<float> original(weights.begin(), weights.end());
  std::optional<WeightAverage> average(std::in_place, 0.9, RandomValues(original.size(), 1));
  const std::vector<float> averaged(average->values().begin(), average->values().end());
  for (const absl::Status& work_status : {absl::OkStatus(), absl::DataLossError("work")}) {
    EXPECT_EQ(WithAveragedWeights(average, *engine,
                                  [&] {
                                    EXPECT_TRUE(std::ranges::equal(weights, averaged));
                                    return work_status;
                                  }),
              work_status);
    EXPECT_TRUE(std::ranges::equal(weights, original));
    EXPECT_TRUE(std::ranges::equal(average->values(), averaged));
  }

  average.reset();
  EXPECT_TRUE(WithAveragedWeights(average, *engine, [&] {
                EXPECT_TRUE(std::ranges::equal(weights, original));
                return absl::OkStatus();
              }).ok());
}

}  // namespace
}  // namespace vrp
