#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/dispatch/learning/features.h"
#include "core/dispatch/learning/fenchel_young.h"
#include "core/dispatch/learning/network_prizes.h"
#include "core/dispatch/learning/prize_network.h"
#include "core/dispatch/learning/savings.h"
#include "tests/dispatch/dispatch_testing.h"

namespace vrp {
namespace {

using test::LineSite;
using test::RandomSite;
using test::RequestUntil;

DispatchState SomeRequests(const DispatchSite& site) {
  DispatchState state = {.departure = 0, .later_departures = {20, 40}};
  for (NodeIndex customer = 1; customer < site.instance().num_nodes(); ++customer) {
    state.requests.push_back(site.RequestOf(customer, ""));
  }
  return state;
}

TEST(SavingOfTest, IsTheDistanceThatOneRouteSaves) {
  const DispatchSite site = LineSite();
  const DispatchRequest near = RequestUntil(site, 1, 900);
  DispatchRequest far = RequestUntil(site, 3, 900);
  EXPECT_EQ(SavingOf(site, near, far, 0), 20);
  EXPECT_EQ(SavingOf(site, far, near, 0), 20);
  far.window.close = 29;  // no route reaches it after or before the other
  EXPECT_EQ(SavingOf(site, near, far, 0), 0);
}

TEST(SavingOfTest, LeavesAtTheLaterRelease) {
  const DispatchSite site = LineSite();
  const DispatchRequest near = RequestUntil(site, 1, 100);
  DispatchRequest far = RequestUntil(site, 3, 900);
  far.release = 90;
  EXPECT_EQ(SavingOf(site, near, far, 0), 20);
  far.release = 91;
  EXPECT_EQ(SavingOf(site, near, far, 0), 0);
}

TEST(FeatureMakerTest, ReadsTheRequestsOwnData) {
  const DispatchSite site = LineSite();
  DispatchState state = {
      .requests = {RequestUntil(site, 2, 50)}, .departure = 10, .later_departures = {30}};
  state.requests[0].window.open = 20;
  const FeatureMaker maker(site, std::make_shared<SiteSampler>(site, 5));
  const auto features = maker.Of(state, {});
  ASSERT_TRUE(features.ok()) << features.status();
  const DispatchFeatures& row = features->front();
  EXPECT_FLOAT_EQ(row[0], 1);    // 20 of a mean of 20
  EXPECT_FLOAT_EQ(row[2], 0.1);  // demand 1 of 10
  EXPECT_FLOAT_EQ(row[4], 0.5);  // opens in half of an epoch of 20
  EXPECT_FLOAT_EQ(row[5], 2);    // closes after two epochs
  EXPECT_FLOAT_EQ(row[7], 1);    // can leave until 30
}

TEST(FeatureMakerTest, GivesFiniteFeaturesThatDependOnTheSeedOnly) {
  const DispatchSite site = RandomSite(20, 3);
  const DispatchState state = SomeRequests(site);
  const FeatureMaker maker(site, std::make_shared<SiteSampler>(site, 10));
  const FeatureOptions options = {.scenarios = 3, .decision = {.max_iterations = 20}};
  const auto features = maker.Of(state, options);
  ASSERT_TRUE(features.ok()) << features.status();
  for (const DispatchFeatures& row : *features) {
    EXPECT_TRUE(std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); }));
  }
  EXPECT_EQ(*features, *maker.Of(state, options));
}

TEST(PrizeNetworkTest, GradientsEqualFiniteDifferences) {
  for (const std::vector<int32_t>& hidden :
       {std::vector<int32_t>{}, std::vector<int32_t>{8}, std::vector<int32_t>{6, 5}}) {
    PrizeNetwork network = *PrizeNetwork::Create(hidden, 4);
    DispatchFeatures features;
    for (size_t i = 0; i < features.size(); ++i) features[i] = 0.1F * static_cast<float>(i) - 1;
    std::vector<float> gradient(network.weights().size());
    network.AddGradient(features, 2, gradient);
    for (size_t i = 0; i < gradient.size(); i += 7) {
      const float kept = network.weights()[i];
      constexpr float kStep = 1e-2F;
      network.mutable_weights()[i] = kept + kStep;
      const float above = network.Predict(features);
      network.mutable_weights()[i] = kept - kStep;
      const float below = network.Predict(features);
      network.mutable_weights()[i] = kept;
      EXPECT_NEAR(gradient[i], 2 * (above - below) / (2 * kStep), 2e-2) << "weight " << i;
    }
  }
}

TEST(PrizeNetworkTest, RefusesWidthsOutOfRange) {
  EXPECT_FALSE(PrizeNetwork::Create({0}, 1).ok());
  EXPECT_FALSE(PrizeNetwork::Create({8, 5000}, 1).ok());
}

// A teacher's decisions: requests leave if they are near the depot.
std::vector<PrizeSample> LabelledByDistance() {
  std::vector<PrizeSample> samples;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    PrizeSample& sample = samples.emplace_back(PrizeSample{.site = RandomSite(16, seed)});
    sample.sample.state = SomeRequests(sample.site);
    const FeatureMaker maker(sample.site, std::make_shared<SiteSampler>(sample.site, 10));
    sample.features = *maker.Of(sample.sample.state, {});
    for (const DispatchFeatures& row : sample.features) {
      sample.sample.leaves.push_back(row[0] < 1);
    }
  }
  return samples;
}

std::vector<const PrizeSample*> PointersTo(const std::vector<PrizeSample>& samples) {
  std::vector<const PrizeSample*> pointers;
  for (const PrizeSample& sample : samples) pointers.push_back(&sample);
  return pointers;
}

double Train(std::vector<PrizeSample>& samples, PrizeNetwork& network, int threads) {
  CpuPool pool(threads);
  std::vector<PrizeSample*> all;
  for (PrizeSample& sample : samples) all.push_back(&sample);
  double agreement = 0;
  for (uint64_t step = 0; step < 60; ++step) {
    const auto result = ComputePrizeGradient(
        network, all, {.perturbations = 8, .deviation = 0.3, .iterations = 30, .seed = 100 * step},
        pool);
    EXPECT_TRUE(result.ok()) << result.status();
    for (size_t i = 0; i < result->gradient.size(); ++i) {
      network.mutable_weights()[i] -= 0.05F * result->gradient[i];
    }
    agreement = result->agreement;
  }
  return agreement;
}

TEST(ComputePrizeGradientTest, LeadsToTheLabelledDecisions) {
  std::vector<PrizeSample> samples = LabelledByDistance();
  PrizeNetwork network = *PrizeNetwork::Create({}, 1);
  Normalise(PointersTo(samples), network);
  EXPECT_GT(Train(samples, network, 2), 0.8);
}

TEST(ComputePrizeGradientTest, DoesNotDependOnTheNumberOfThreads) {
  std::vector<PrizeSample> samples = LabelledByDistance();
  std::vector<PrizeSample> copy = samples;
  PrizeNetwork one = *PrizeNetwork::Create({4}, 1);
  PrizeNetwork three = one;
  Train(samples, one, 1);
  Train(copy, three, 3);
  EXPECT_TRUE(std::equal(one.weights().begin(), one.weights().end(), three.weights().begin()));
}

TEST(NetworkPrizesTest, AreNeverNegative) {
  const DispatchSite site = RandomSite(20, 3);
  const NetworkPrizes model(site, std::make_shared<SiteSampler>(site, 10),
                            *PrizeNetwork::Create({8}, 2), {});
  const auto prizes = model.Prizes(SomeRequests(site), {.max_iterations = 10});
  ASSERT_TRUE(prizes.ok()) << prizes.status();
  EXPECT_EQ(prizes->size(), 20u);
  EXPECT_TRUE(std::all_of(prizes->begin(), prizes->end(), [](double p) { return p >= 0; }));
}

}  // namespace
}  // namespace vrp
