#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/dispatch/learning/features.h"
#include "core/dispatch/learning/fenchel_young.h"
#include "core/dispatch/learning/network_prizes.h"
#include "core/dispatch/learning/prize_mlp.h"
#include "core/dispatch/learning/savings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

// Returns a site whose second customer is 3 after the first, and whose first is 5 after the second.
DispatchSite AsymmetricSite() {
  InstanceData data = test::LineWithWindows();
  data.distance_matrix = {0, 4, 4, 9,  //
                          6, 0, 3, 9,  //
                          2, 5, 0, 9,  //
                          9, 9, 9, 0};
  return *DispatchSite::Create(*Instance::Create(std::move(data)));
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
  const DispatchFeatures& row = features->requests.front();
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
  for (const DispatchFeatures& row : features->requests) {
    EXPECT_TRUE(std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); }));
  }
  EXPECT_EQ(features->requests, maker.Of(state, options)->requests);
  EXPECT_TRUE(features->pairs.empty());
}

TEST(FeatureMakerTest, ReadsDistancesAndSavingsOfPairs) {
  const DispatchSite site = AsymmetricSite();
  const DispatchState state = {.requests = {site.RequestOf(1, ""), site.RequestOf(2, "")},
                               .departure = 0,
                               .later_departures = {20}};
  const FeatureMaker maker(site, std::make_shared<SiteSampler>(site, 5));
  const auto features = maker.Of(state, {.pairs = true});
  ASSERT_TRUE(features.ok()) << features.status();
  const auto unit = static_cast<float>(site.mean_distance());
  // The better order saves 6 + 4 - 3.
  const std::vector<float> expected = {0, 3 / unit, 5 / unit, 0,  //
                                       0, 5 / unit, 3 / unit, 0,  //
                                       0, 7 / unit, 7 / unit, 0};
  EXPECT_THAT(features->pairs, testing::Pointwise(testing::FloatEq(), expected));
}

TEST(PrizeMlpTest, GradientsEqualFiniteDifferences) {
  for (const std::vector<int32_t>& hidden :
       {std::vector<int32_t>{}, std::vector<int32_t>{8}, std::vector<int32_t>{6, 5}}) {
    const std::unique_ptr<PrizeMlp> network = *PrizeMlp::Create(hidden, 4);
    DecisionFeatures features = {.requests = std::vector<DispatchFeatures>(2)};
    for (size_t i = 0; i < kDispatchFeatureCount; ++i) {
      features.requests[0][i] = 0.1F * static_cast<float>(i) - 1;
      features.requests[1][i] = 1 - 0.05F * static_cast<float>(i);
    }
    const std::vector<float> slopes = {2, -1};
    std::vector<float> weights(network->weights().begin(), network->weights().end());
    std::vector<float> gradient(weights.size());
    network->AddGradient(features, slopes, gradient);
    const auto value_with = [&](size_t i, float step) {
      std::vector<float> changed = weights;
      changed[i] += step;
      network->SetWeights(changed);
      const std::vector<float> outputs = network->Predict(features);
      return 2 * outputs[0] - outputs[1];
    };
    for (size_t i = 0; i < gradient.size(); i += 7) {
      constexpr float kStep = 1e-2F;
      EXPECT_NEAR(gradient[i], (value_with(i, kStep) - value_with(i, -kStep)) / (2 * kStep), 3e-2)
          << "weight " << i;
      network->SetWeights(weights);
    }
  }
}

TEST(PrizeMlpTest, RefusesWidthsOutOfRange) {
  EXPECT_FALSE(PrizeMlp::Create({0}, 1).ok());
  EXPECT_FALSE(PrizeMlp::Create({8, 5000}, 1).ok());
}

// A teacher's decisions: requests leave if they are near the depot.
std::vector<PrizeSample> LabelledByDistance() {
  std::vector<PrizeSample> samples;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    PrizeSample& sample = samples.emplace_back(PrizeSample{.site = RandomSite(16, seed)});
    sample.sample.state = SomeRequests(sample.site);
    const FeatureMaker maker(sample.site, std::make_shared<SiteSampler>(sample.site, 10));
    sample.features = *maker.Of(sample.sample.state, {});
    for (const DispatchFeatures& row : sample.features.requests) {
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
    std::vector<float> weights(network.weights().begin(), network.weights().end());
    for (size_t i = 0; i < weights.size(); ++i) weights[i] -= 0.05F * result->gradient[i];
    network.SetWeights(weights);
    agreement = result->agreement;
  }
  return agreement;
}

TEST(ComputePrizeGradientTest, LeadsToTheLabelledDecisions) {
  std::vector<PrizeSample> samples = LabelledByDistance();
  const std::unique_ptr<PrizeMlp> network = *PrizeMlp::Create({}, 1);
  Normalise(PointersTo(samples), *network);
  EXPECT_GT(Train(samples, *network, 2), 0.8);
}

TEST(ComputePrizeGradientTest, DoesNotDependOnTheNumberOfThreads) {
  std::vector<PrizeSample> samples = LabelledByDistance();
  std::vector<PrizeSample> copy = samples;
  const std::unique_ptr<PrizeMlp> one = *PrizeMlp::Create({4}, 1);
  const std::unique_ptr<PrizeMlp> three = *PrizeMlp::Create({4}, 1);
  Train(samples, *one, 1);
  Train(copy, *three, 3);
  EXPECT_TRUE(std::equal(one->weights().begin(), one->weights().end(), three->weights().begin()));
}

TEST(NetworkPrizesTest, AreNeverNegative) {
  const DispatchSite site = RandomSite(20, 3);
  const NetworkPrizes model(site, std::make_shared<SiteSampler>(site, 10),
                            {.network = *PrizeMlp::Create({8}, 2)}, {});
  const auto prizes = model.Prizes(SomeRequests(site), {.max_iterations = 10});
  ASSERT_TRUE(prizes.ok()) << prizes.status();
  EXPECT_EQ(prizes->size(), 20u);
  EXPECT_TRUE(std::all_of(prizes->begin(), prizes->end(), [](double p) { return p >= 0; }));
}

}  // namespace
}  // namespace vrp
