// Tests the graph transformer that predicts prizes.
#include "core/model/dispatch/prize_transformer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/base/random.h"
#include "core/dispatch/learning/fenchel_young.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/dispatch/dispatch_testing.h"

namespace vrp {
namespace {

constexpr PrizeTransformerOptions kSizes = {.width = 16, .layers = 2, .heads = 4};

std::unique_ptr<PrizeTransformer> Network() { return *PrizeTransformer::Create(kSizes, 3); }

float& Pair(DecisionFeatures& features, size_t feature, size_t i, size_t j) {
  const size_t count = features.requests.size();
  return features.pairs[(feature * count + i) * count + j];
}

DecisionFeatures RandomFeatures(size_t requests) {
  CounterRandom random(7);
  DecisionFeatures features = {.requests = std::vector<DispatchFeatures>(requests)};
  for (DispatchFeatures& row : features.requests) {
    for (float& value : row) value = static_cast<float>(2 * random.UniformDouble() - 1);
  }
  features.pairs.resize(kDispatchPairFeatureCount * requests * requests);
  for (float& value : features.pairs) value = static_cast<float>(2 * random.UniformDouble());
  return features;
}

// Returns the sum of slopes[i] times output i.
double Weighted(const PrizeNetwork& network, const DecisionFeatures& features,
                const std::vector<float>& slopes) {
  const std::vector<float> outputs = network.Predict(features);
  return std::inner_product(slopes.begin(), slopes.end(), outputs.begin(), 0.0);
}

TEST(PrizeTransformerTest, GradientsEqualFiniteDifferences) {
  const auto network = Network();
  for (const size_t requests : {1, 7, 33}) {
    const DecisionFeatures features = RandomFeatures(requests);
    std::vector<float> slopes(requests);
    for (size_t i = 0; i < requests; ++i) slopes[i] = std::cos(static_cast<float>(i));
    const std::vector<float> weights(network->weights().begin(), network->weights().end());
    std::vector<float> gradient(weights.size());
    network->AddGradient(features, slopes, gradient);
    const ParameterLayout layout(PrizeTransformerParameters(kSizes));
    for (const ParameterShape& shape : layout.shapes()) {
      if (shape.frozen) continue;
      // The derivative in a random direction of one parameter.
      const auto first = static_cast<size_t>(layout.Offset(shape.name));
      const auto size = static_cast<size_t>(ParameterLayout::Elements(shape));
      CounterRandom random(11, first);
      std::vector<float> direction(size);
      for (float& value : direction) value = random.UniformDouble() < 0.5 ? -1 : 1;
      const double step = 1e-2 / std::sqrt(static_cast<double>(size));
      const auto value_at = [&](double distance) {
        std::vector<float> changed = weights;
        for (size_t k = 0; k < size; ++k) {
          changed[first + k] += static_cast<float>(distance * direction[k]);
        }
        network->SetWeights(changed);
        return Weighted(*network, features, slopes);
      };
      const double difference = (value_at(step) - value_at(-step)) / (2 * step);
      const double expected =
          std::inner_product(direction.begin(), direction.end(),
                             gradient.begin() + static_cast<ptrdiff_t>(first), 0.0);
      EXPECT_NEAR(expected, difference, 2e-2 * std::max(1.0, std::abs(difference)))
          << shape.name << ", " << requests << " requests";
    }
    network->SetWeights(weights);
  }
}

TEST(PrizeTransformerTest, AddsToTheGradient) {
  const auto network = Network();
  const DecisionFeatures features = RandomFeatures(5);
  const std::vector<float> slopes = {1, 0, -1, 0.5, 0};
  std::vector<float> once(network->weights().size());
  network->AddGradient(features, slopes, once);
  std::vector<float> twice = once;
  network->AddGradient(features, slopes, twice);
  for (size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(twice[i], 2 * once[i], 1e-4) << i;
}

TEST(PrizeTransformerTest, PermutesPrizesWithTheRequests) {
  const auto network = Network();
  for (const size_t count : {2, 6, 40}) {
    const DecisionFeatures features = RandomFeatures(count);
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    CounterRandom(5).Shuffle(std::span<size_t>(order));
    DecisionFeatures permuted = features;
    DecisionFeatures from = features;
    for (size_t i = 0; i < count; ++i) {
      permuted.requests[i] = features.requests[order[i]];
      for (size_t j = 0; j < count; ++j) {
        for (size_t k = 0; k < kDispatchPairFeatureCount; ++k) {
          Pair(permuted, k, i, j) = Pair(from, k, order[i], order[j]);
        }
      }
    }
    const std::vector<float> outputs = network->Predict(features);
    const std::vector<float> of_permuted = network->Predict(permuted);
    for (size_t i = 0; i < count; ++i) EXPECT_NEAR(of_permuted[i], outputs[order[i]], 1e-5);
  }
}

TEST(PrizeTransformerTest, ReadsOtherRequestsAndPairs) {
  const auto network = Network();
  const DecisionFeatures features = RandomFeatures(4);
  const float output = network->Predict(features)[0];
  DecisionFeatures other = features;
  other.requests[3][0] += 1;
  EXPECT_GT(std::abs(network->Predict(other)[0] - output), 1e-4);
  for (size_t k = 0; k < kDispatchPairFeatureCount; ++k) {
    DecisionFeatures moved = features;
    Pair(moved, k, 0, 3) += 1;
    EXPECT_GT(std::abs(network->Predict(moved)[0] - output), 1e-5) << kDispatchPairFeatures[k];
  }
}

TEST(PrizeTransformerTest, ReadsFeaturesOfASingleRequest) {
  const auto network = Network();
  DecisionFeatures features = RandomFeatures(1);
  const float output = network->Predict(features)[0];
  features.requests[0][0] += 1;
  EXPECT_GT(std::abs(network->Predict(features)[0] - output), 1e-4);
  EXPECT_TRUE(network->Predict({}).empty());
}

TEST(PrizeTransformerTest, PredictsTheSameOnSeveralThreads) {
  const auto network = Network();
  std::vector<DecisionFeatures> decisions;
  std::vector<std::vector<float>> expected;
  for (size_t count = 1; count <= 60; ++count) {
    decisions.push_back(RandomFeatures(count));
    expected.push_back(network->Predict(decisions.back()));
  }
  std::vector<std::vector<float>> outputs(decisions.size());
  CpuPool(4).ParallelFor(std::ssize(decisions), [&](int64_t i) {
    outputs[static_cast<size_t>(i)] = network->Predict(decisions[static_cast<size_t>(i)]);
  });
  EXPECT_EQ(outputs, expected);
}

// A teacher's decisions: requests leave if they are near the depot.
std::vector<PrizeSample> LabelledByDistance() {
  std::vector<PrizeSample> samples;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    PrizeSample& sample = samples.emplace_back(PrizeSample{.site = test::RandomSite(12, seed)});
    DispatchState& state = sample.sample.state;
    state.later_departures = {20, 40};
    for (NodeIndex node = 1; node < sample.site.instance().num_nodes(); ++node) {
      state.requests.push_back(sample.site.RequestOf(node, ""));
    }
    const FeatureMaker maker(sample.site, std::make_shared<SiteSampler>(sample.site, 10));
    sample.features = *maker.Of(state, {.pairs = true});
    for (const DispatchFeatures& row : sample.features.requests) {
      sample.sample.leaves.push_back(row[0] < 1);
    }
  }
  return samples;
}

double Train(std::vector<PrizeSample> samples, PrizeNetwork& network, int threads) {
  CpuPool pool(threads);
  std::vector<PrizeSample*> all;
  for (PrizeSample& sample : samples) all.push_back(&sample);
  const std::vector<const PrizeSample*> read(all.begin(), all.end());
  Normalise(read, network);
  double agreement = 0;
  for (uint64_t step = 0; step < 40; ++step) {
    const auto result = ComputePrizeGradient(
        network, all, {.perturbations = 8, .deviation = 0.3, .iterations = 30, .seed = 100 * step},
        pool);
    EXPECT_TRUE(result.ok()) << result.status();
    std::vector<float> weights(network.weights().begin(), network.weights().end());
    for (size_t i = 0; i < weights.size(); ++i) weights[i] -= 0.01F * result->gradient[i];
    network.SetWeights(weights);
    agreement = result->agreement;
  }
  return agreement;
}

TEST(PrizeTransformerTest, LearnsLabelledDecisionsOnAnyNumberOfThreads) {
  const auto one = Network();
  const auto three = Network();
  const std::vector<PrizeSample> samples = LabelledByDistance();
  EXPECT_GT(Train(samples, *one, 1), 0.8);
  Train(samples, *three, 3);
  EXPECT_TRUE(std::equal(one->weights().begin(), one->weights().end(), three->weights().begin()));
}

}  // namespace
}  // namespace vrp
