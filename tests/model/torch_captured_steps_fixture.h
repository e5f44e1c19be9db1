// A small engine with captured steps on the CPU, and the state from which they start.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/model/torch/engines.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/model/torch_step_stream.h"
#include "tests/model/torch_testing.h"

namespace vrp::test {

class CapturedStepsFixture : public ::testing::Test {
 protected:
  static constexpr int32_t kInstances = 4;
  static constexpr int32_t kCustomers = 6;

  EngineOptions Options() {
    return {.step_stream = [this] { return TorchStepStream({.counts = &counts_}); }};
  }

  // Makes steps that start from the engine's weights.
  std::unique_ptr<CapturedSteps> MakeSteps(CapturedStepsRequest request) {
    request.instances = kInstances;
    request.nodes = kCustomers + 1;
    request.learning_rates = {0.01};
    request.report_every = 3;
    auto steps = engine_->MakeCapturedSteps(request);
    EXPECT_TRUE(steps.ok()) << steps.status();
    EXPECT_TRUE((*steps)->Load(state_).ok());
    return *std::move(steps);
  }

  static NetworkBatch BatchOfStep(int64_t step, int32_t customers = kCustomers) {
    std::vector<Instance> instances = *GenerateInstances(
        {.customers = customers, .seed = static_cast<uint64_t>(step)}, kInstances);
    return test::BatchOf(instances, NodeOrder::kAsGiven);
  }

  // Returns batch `number` of the instances that `seed` draws.
  static NetworkBatch BatchOf(uint64_t seed, int64_t number) {
    std::vector<InstanceData> instances;
    for (int64_t i = number * kInstances; i < (number + 1) * kInstances; ++i) {
      instances.push_back(
          GenerateInstanceData({.customers = kCustomers, .seed = seed, .capacity = 20}, i));
    }
    return MakeNetworkBatch(std::span<const InstanceData>(instances), NodeOrder::kAsGiven);
  }

  static std::vector<float> WeightsOf(const PolicyEngine& engine) {
    const std::span<const float> values = engine.parameters().values();
    return {values.begin(), values.end()};
  }
  std::vector<float> Weights() const { return WeightsOf(*engine_); }

  StepStreamCounts counts_;
  std::unique_ptr<TorchEngine> engine_ =
      TransformerEngine(at::kFloat, SmallTransformer(), Options());
  std::vector<float> mean_ = std::vector<float>(static_cast<size_t>(engine_->parameters().size()));
  std::vector<float> square_ = mean_;
  CapturedStepsState state_ = {.mean = mean_, .square = square_};
};

}  // namespace vrp::test
