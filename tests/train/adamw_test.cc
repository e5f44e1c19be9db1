#include "core/train/optimiser/adamw.h"

#include <cmath>

#include "core/base/random.h"
#include "core/kernels/optimiser/device_optimiser.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

// Returns the layout of a matrix, a bias, frozen statistics, and a matrix larger than one piece.
ParameterLayout MixedLayout() {
  return ParameterLayout({{.name = "weight", .shape = {7, 5}, .bound = 1},
                          {.name = "bias", .shape = {5}, .bound = 1},
                          {.name = "statistics", .shape = {3}, .bound = 1, .frozen = true},
                          {.name = "large", .shape = {300, 500}, .bound = 1}});
}

void FillGradient(FlatParameters& parameters, uint64_t step) {
  CounterRandom random(3, step);
  for (float& element : parameters.gradient()) element = random.UniformFloat() - 0.5F;
}

TEST(AdamWTest, FollowsTheFormulasInDoublePrecision) {
  const AdamWOptions options{.weight_decay = 0.1};
  FlatParameters parameters(MixedLayout(), 1);
  parameters.TrackGradient();
  AdamW adamw(parameters.layout(), options);
  const auto size = static_cast<size_t>(parameters.size());
  std::vector<double> value(parameters.values().begin(), parameters.values().end());
  const std::vector<double> before = value;
  std::vector<double> mean(size);
  std::vector<double> square(size);
  const auto begin = [&](const char* name) {
    return static_cast<size_t>(parameters.layout().Offset(name));
  };
  for (int step = 1; step <= 20; ++step) {
    FillGradient(parameters, static_cast<uint64_t>(step));
    const double rate = 0.01 / step;
    const double scale = step % 2 == 0 ? 0.5 : 1;
    for (size_t i = 0; i < size; ++i) {
      const double g = scale * parameters.gradient()[i];
      mean[i] = 0.9 * mean[i] + 0.1 * g;
      square[i] = 0.999 * square[i] + 0.001 * g * g;
      if (i >= begin("statistics") && i < begin("large")) continue;
      const bool decays = i < begin("bias") || i >= begin("large");
      if (decays) value[i] *= 1 - rate * 0.1;
      const double corrected = mean[i] / (1 - std::pow(0.9, step));
      value[i] -= rate * corrected / (std::sqrt(square[i] / (1 - std::pow(0.999, step))) + 1e-8);
    }
    adamw.Step(parameters, rate, scale, nullptr);
  }
  EXPECT_EQ(adamw.steps(), 20);
  for (size_t i = 0; i < size; ++i) {
    ASSERT_NEAR(parameters.values()[i], value[i], 2e-5) << i;
  }
  for (size_t i = begin("statistics"); i < begin("large"); ++i) {
    EXPECT_EQ(parameters.values()[i], before[i]);
  }
}

TEST(AdamWTest, GivesTheSameBitsOnAnyNumberOfThreads) {
  const auto train = [](CpuPool* pool) {
    FlatParameters parameters(MixedLayout(), 1);
    parameters.TrackGradient();
    AdamW adamw(parameters.layout(), {});
    for (uint64_t step = 1; step <= 3; ++step) {
      FillGradient(parameters, step);
      adamw.Step(parameters, 0.01, 1, pool);
    }
    return std::vector<float>(parameters.values().begin(), parameters.values().end());
  };
  CpuPool pool(3);
  EXPECT_EQ(train(nullptr), train(&pool));
}

TEST(AdamWTest, GivesTheSameBitsAsTheDeviceProgram) {
  const AdamWOptions options{.weight_decay = 0.1};
  constexpr double kClip = 20;  // less than the norm of each gradient
  const std::vector<double> rates = {0.01, 0.02, 0.005};
  FlatParameters host(MixedLayout(), 1);
  FlatParameters device(MixedLayout(), 1);
  host.TrackGradient();
  device.TrackGradient();
  AdamW adamw(host.layout(), options);
  const auto size = static_cast<size_t>(host.size());
  std::vector<float> mean(size);
  std::vector<float> square(size);
  std::vector<double> sums(static_cast<size_t>(NormBlocks(host.size())));
  const std::vector<UpdatePiece> pieces = UpdatePieces(host.layout(), 1000);
  const double loss = 0;
  OptimiserState state;
  const OptimiserTask task = {.size = host.size(),
                              .arrays = {.values = device.values().data(),
                                         .gradient = device.gradient().data(),
                                         .mean = mean.data(),
                                         .square = square.data()},
                              .pieces = pieces.data(),
                              .piece_count = static_cast<int32_t>(pieces.size()),
                              .sums = sums.data(),
                              .rates = rates.data(),
                              .rate_count = std::ssize(rates),
                              .loss = &loss,
                              .loss_scale = {},
                              .adamw = options,
                              .clip = kClip,
                              .state = &state};
  for (uint64_t step = 1; step <= 3; ++step) {
    FillGradient(host, step);
    FillGradient(device, step);
    const double norm = GradientNorm(host.gradient(), nullptr);
    EXPECT_GT(norm, kClip);
    adamw.Step(host, rates[step - 1], kClip / norm, nullptr);
    OptimiseOnCpu(task);
    EXPECT_EQ(state.norm, norm);
  }
  const auto copy = [](auto span) { return std::vector<float>(span.begin(), span.end()); };
  EXPECT_EQ(copy(host.values()), copy(device.values()));
  EXPECT_EQ(copy(adamw.mean()), mean);
  EXPECT_EQ(copy(adamw.square()), square);
}

TEST(GradientNormTest, IsEuclideanAndTheSameOnAnyNumberOfThreads) {
  CpuPool pool(3);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{4097}, size_t{300'001}}) {
    std::vector<float> gradient(size);
    CounterRandom random(5, size);
    double sum = 0;
    for (float& element : gradient) {
      element = random.UniformFloat() - 0.5F;
      sum += double{element} * element;
    }
    const double norm = GradientNorm(gradient, nullptr);
    EXPECT_NEAR(norm, std::sqrt(sum), 1e-9 * (1 + norm));
    EXPECT_EQ(norm, GradientNorm(gradient, &pool));
  }
}

TEST(GradientNormTest, IsNanOrInfiniteIfAnElementIs) {
  EXPECT_TRUE(std::isnan(GradientNorm(std::vector<float>{1, NAN, 2}, nullptr)));
  EXPECT_TRUE(std::isinf(GradientNorm(std::vector<float>{1, INFINITY}, nullptr)));
}

}  // namespace
}  // namespace vrp
