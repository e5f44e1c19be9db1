#include "core/model/beam_search.h"

#include <algorithm>

#include "core/problem/checker.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

class BeamSearchTest : public testing::Test {
 protected:
  BeamSearchTest() : network_({.hidden = 16, .layers = 1, .dropout = 0}, at::TensorOptions(), 4) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      inputs_.push_back(MakeNetworkInput(AnInstance()
                                             .WithCustomers(static_cast<int32_t>(3 + seed))
                                             .Seed(seed)
                                             .RandomDemands()
                                             .Capacity(15)
                                             .Build()));
    }
    encoded_ = network_.Encode(MakeNodeBatch(inputs_, network_.tensor_options()));
  }

  Rollout Beam(int64_t width) {
    auto rollout = RunBeamSearch(network_, encoded_, inputs_, {.width = width, .stop = {}});
    EXPECT_TRUE(rollout.ok()) << rollout.status();
    return *std::move(rollout);
  }
  Rollout Greedy() { return *RunRollout(network_, encoded_, inputs_, {.choices = {}, .stop = {}}); }

  PointerNetwork network_;
  std::vector<NetworkInput> inputs_;
  EncodedNodes encoded_;
};

TEST_F(BeamSearchTest, OfWidthOneIsGreedy) {
  const Rollout beam = Beam(1);
  const Rollout greedy = Greedy();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    EXPECT_EQ(beam.states[i].MakePlan(), greedy.states[i].MakePlan());
    EXPECT_NEAR(beam.log_likelihoods[i], greedy.log_likelihoods[i], 1e-9);
  }
}

TEST_F(BeamSearchTest, FindsAPlanAtLeastAsLikelyAsTheGreedyOne) {
  constexpr size_t kWidth = 5;
  const Rollout beam = Beam(kWidth);
  const Rollout greedy = Greedy();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto first = beam.log_likelihoods.begin() + static_cast<std::ptrdiff_t>(i * kWidth);
    EXPECT_EQ(beam.states[i * kWidth].MakePlan(), greedy.states[i].MakePlan());
    EXPECT_GE(*std::max_element(first, first + kWidth), greedy.log_likelihoods[i] - 1e-5);
  }
}

TEST_F(BeamSearchTest, EndsInDistinctFeasiblePlans) {
  constexpr size_t kWidth = 4;
  const Rollout beam = Beam(kWidth);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    std::vector<Plan> plans;
    for (size_t k = 0; k < kWidth; ++k) {
      plans.push_back(beam.states[i * kWidth + k].MakePlan());
      EXPECT_TRUE(CheckPlan(inputs_[i].instance, plans.back()).feasible);
      EXPECT_EQ(std::count(plans.begin(), plans.end(), plans.back()), 1);
    }
  }
}

TEST_F(BeamSearchTest, WiderThanThereArePlansFindsThemAll) {
  inputs_.assign(1, MakeNetworkInput(AnInstance().WithCustomers(2).Build()));
  encoded_ = network_.Encode(MakeNodeBatch(inputs_, network_.tensor_options()));
  const Rollout beam = Beam(20);
  const auto alive = std::count_if(beam.log_likelihoods.begin(), beam.log_likelihoods.end(),
                                   [](double value) { return std::isfinite(value); });
  EXPECT_EQ(alive, 4);  // 1 2 | 2 1 | 1 0 2 | 2 0 1
}

}  // namespace
}  // namespace vrp
