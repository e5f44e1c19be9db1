// Compares the optimiser's kernels with the same programs on the CPU over several steps.
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/optimiser/device_optimiser.h"
#include "gtest/gtest.h"
#include "tests/gpu/device_buffer.h"
#include "tests/gpu/gpu_testing.h"

namespace vrp {
namespace {

using test::Buffer;

// Number of parameters: four blocks of the norm, of which the last one is not full.
constexpr int32_t kSize = 3 * kNormBlock + 100;

std::vector<UpdatePiece> Pieces() {
  constexpr int32_t kPieceSize = 1000;
  std::vector<UpdatePiece> pieces;
  for (int32_t first = 0; first < kSize; first += kPieceSize) {
    pieces.push_back({.first = first,
                      .count = std::min(kPieceSize, kSize - first),
                      .decays = pieces.size() % 2 == 0});
  }
  return pieces;
}

// The parameters and other inputs of a step, on the host and on the device.
struct Optimised {
  Optimised() { DrawGradient(0); }

  void DrawGradient(uint64_t seed) {
    CounterRandom random(seed);
    for (float& value : gradient.host()) value = random.UniformFloat() - 0.5F;
    gradient.Upload();
  }

  OptimiserTask task(bool cuda) {
    return {.size = kSize,
            .arrays = {.values = values.data(cuda),
                       .gradient = gradient.data(cuda),
                       .mean = mean.data(cuda),
                       .square = square.data(cuda)},
            .pieces = pieces.data(cuda),
            .piece_count = static_cast<int32_t>(pieces.host().size()),
            .sums = sums.data(cuda),
            .rates = rates.data(cuda),
            .rate_count = 2,
            .loss = loss.data(cuda),
            .loss_scale = {scale.data(cuda), scale_steps.data(cuda), 2, 0.5, 3},
            .adamw = {.weight_decay = 0.01},
            .clip = 5,
            .average = average.data(cuda),
            .average_decay = 0.15,
            .state = state.data(cuda)};
  }

  void StepOnBoth() {
    OptimiseOnCpu(task(false));
    const absl::Status status = OptimiseOnCuda(task(true), nullptr);
    ASSERT_TRUE(status.ok()) << status;
  }

  void ExpectTheSame() {
    const OptimiserState device_state = state.Download()[0];
    const OptimiserState& host_state = state.host()[0];
    EXPECT_EQ(device_state.steps, host_state.steps);
    EXPECT_EQ(device_state.updates, host_state.updates);
    EXPECT_EQ(device_state.is_applied, host_state.is_applied);
    EXPECT_EQ(device_state.arrived, 0U);  // reset for the next step
    if (host_state.is_applied != 0) {
      EXPECT_DOUBLE_EQ(device_state.norm, host_state.norm);
    }
    EXPECT_EQ(scale.Download(), scale.host());
    EXPECT_EQ(scale_steps.Download(), scale_steps.host());
    for (Buffer<float>* const array : {&values, &mean, &square, &average}) {
      const std::vector<float> actual = array->Download();
      for (size_t i = 0; i < actual.size(); ++i) {
        ASSERT_NEAR(actual[i], array->host()[i], 1e-6) << i;
      }
    }
  }

  Buffer<float> values = Buffer<float>(std::vector<float>(kSize, 1));
  Buffer<float> gradient = Buffer<float>(size_t{kSize});
  Buffer<float> mean = Buffer<float>(size_t{kSize});
  Buffer<float> square = Buffer<float>(size_t{kSize});
  Buffer<float> average = Buffer<float>(std::vector<float>(kSize, 2));
  Buffer<UpdatePiece> pieces = Buffer<UpdatePiece>(Pieces());
  Buffer<double> sums = Buffer<double>(static_cast<size_t>(NormBlocks(kSize)));
  Buffer<double> rates = Buffer<double>(std::vector<double>{0.1, 0.01});
  Buffer<double> loss = Buffer<double>(std::vector<double>{2});
  Buffer<float> scale = Buffer<float>(std::vector<float>{8});
  Buffer<int32_t> scale_steps = Buffer<int32_t>(size_t{1});
  Buffer<OptimiserState> state = Buffer<OptimiserState>(size_t{1});
};

class OptimiserGpuTest : public test::GpuTest, public testing::WithParamInterface<uint64_t> {
 protected:
  void SetUp() override {
    test::GpuTest::SetUp();
    test::ConfigureDevice({.seed = GetParam()});
  }
};

TEST_P(OptimiserGpuTest, StepsEqualTheCpus) {
  Optimised one;
  for (uint64_t step = 1; step <= 4; ++step) {
    one.DrawGradient(step);
    ASSERT_NO_FATAL_FAILURE(one.StepOnBoth());
    one.ExpectTheSame();
  }
  EXPECT_EQ(one.state.host()[0].updates, 4);
}

TEST_P(OptimiserGpuTest, SkipsAStepWithANonFiniteGradientInAnyBlock) {
  Optimised one;
  for (const size_t index : {size_t{0}, size_t{kNormBlock}, size_t{kSize - 1}}) {
    one.gradient.host()[index] = std::numeric_limits<float>::infinity();
    one.gradient.Upload();
    ASSERT_NO_FATAL_FAILURE(one.StepOnBoth());
    one.ExpectTheSame();
    one.DrawGradient(index);
  }
  EXPECT_EQ(one.state.host()[0].updates, 0);
  ASSERT_NO_FATAL_FAILURE(one.StepOnBoth());
  one.ExpectTheSame();
  EXPECT_EQ(one.state.host()[0].updates, 1);
}

INSTANTIATE_TEST_SUITE_P(Orders, OptimiserGpuTest, testing::Values(1, 2, 3));

}  // namespace
}  // namespace vrp
