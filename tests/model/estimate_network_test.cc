// Tests the network of estimates.
#include "core/model/estimate/estimate_network.h"

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

constexpr EstimateNetworkOptions kSizes = {.width = 16, .layers = 2, .heads = 4, .hidden = 8};
using Globals = std::array<float, kEstimateGlobalCount>;

// Returns random parameters; the head's last layer begins as 0 otherwise.
std::vector<float> RandomParameters() {
  const ParameterLayout layout(EstimateNetworkParameters(kSizes));
  const FlatParameters initial(layout, 3);
  std::vector<float> values(initial.values().begin(), initial.values().end());
  CounterRandom random(9);
  for (size_t k = static_cast<size_t>(layout.Offset("head.out.weight")); k < values.size(); ++k) {
    values[k] = random.UniformFloat() - 0.5F;
  }
  return values;
}

template <typename T>
std::unique_ptr<EstimateNetwork<T>> NetworkOf(const std::vector<float>& values) {
  auto network = *EstimateNetwork<T>::Create(kSizes);
  network->SetParameters(std::vector<T>(values.begin(), values.end()));
  return network;
}

EstimateFeatures FeaturesOf(int32_t customers) {
  Subproblem problem;
  EXPECT_TRUE(
      problem
          .ChooseAll(
              test::AnInstance().WithCustomers(customers).RandomDemands().RandomWindows().Build())
          .ok());
  EstimateFeatures features;
  features.Compute(problem);
  return features;
}

TEST(EstimateNetworkTest, EqualsTheReferenceInFloat64) {
  const std::vector<float> values = RandomParameters();
  const auto network = NetworkOf<float>(values);
  const auto reference = NetworkOf<double>(values);
  EstimatePass<float> pass;
  EstimatePass<double> reference_pass;
  for (const int32_t customers : {40, 1, 7}) {
    const EstimateFeatures features = FeaturesOf(customers);
    const auto outputs = network->Forward(features, features.globals(), false, pass);
    const auto expected = reference->Forward(features, features.globals(), false, reference_pass);
    for (size_t o = 0; o < outputs.size(); ++o) {
      EXPECT_NEAR(outputs[o], expected[o], 1e-4) << customers << " customers, output " << o;
    }
  }
}

TEST(EstimateNetworkTest, GradientsEqualFiniteDifferences) {
  const std::vector<float> values = RandomParameters();
  const EstimateOutputs<double> slopes = {1, -0.5, 0.25, 2};
  EstimatePass<double> pass;
  for (const int32_t customers : {1, 20}) {
    const EstimateFeatures features = FeaturesOf(customers);
    const auto network = NetworkOf<double>(values);
    const auto weighted = [&] {
      const auto outputs = network->Forward(features, features.globals(), true, pass);
      return std::inner_product(slopes.begin(), slopes.end(), outputs.begin(), 0.0);
    };
    weighted();
    std::vector<double> gradient(values.size());
    network->AddGradient(features, slopes, pass, gradient);
    const ParameterLayout layout(EstimateNetworkParameters(kSizes));
    for (const ParameterShape& shape : layout.shapes()) {
      // The derivative in a random direction of one parameter.
      const auto first = static_cast<size_t>(layout.Offset(shape.name));
      const auto size = static_cast<size_t>(ParameterLayout::Elements(shape));
      CounterRandom random(11, first);
      std::vector<double> direction(size);
      for (double& value : direction) value = random.UniformDouble() < 0.5 ? -1 : 1;
      const auto value_at = [&](double distance) {
        std::vector<double> changed(values.begin(), values.end());
        for (size_t k = 0; k < size; ++k) changed[first + k] += distance * direction[k];
        network->SetParameters(changed);
        return weighted();
      };
      const double difference = (value_at(1e-6) - value_at(-1e-6)) / 2e-6;
      const double expected = std::inner_product(direction.begin(), direction.end(),
                                                 gradient.begin() + std::ptrdiff_t(first), 0.0);
      EXPECT_NEAR(expected, difference, 1e-5 * std::max(1.0, std::abs(difference)))
          << shape.name << ", " << customers << " customers";
    }
  }
}

TEST(EstimateNetworkTest, FloatGradientsEqualTheReference) {
  const std::vector<float> values = RandomParameters();
  const EstimateFeatures features = FeaturesOf(25);
  const auto network = NetworkOf<float>(values);
  const auto reference = NetworkOf<double>(values);
  EstimatePass<float> pass;
  EstimatePass<double> reference_pass;
  network->Forward(features, features.globals(), true, pass);
  reference->Forward(features, features.globals(), true, reference_pass);
  std::vector<float> gradient(values.size());
  std::vector<double> expected(values.size());
  network->AddGradient(features, {1, -1, 0.5, 0.25}, pass, gradient);
  reference->AddGradient(features, {1, -1, 0.5, 0.25}, reference_pass, expected);
  for (size_t k = 0; k < values.size(); ++k) {
    ASSERT_NEAR(gradient[k], expected[k], 1e-3 * std::max(1.0, std::abs(expected[k]))) << k;
  }
}

TEST(EstimateNetworkTest, DoesNotDependOnTheOrderOfCustomers) {
  const auto network = NetworkOf<float>(RandomParameters());
  const Instance instance = test::AnInstance().WithCustomers(30).RandomDemands().Build();
  std::vector<NodeIndex> order(30);
  std::iota(order.begin(), order.end(), 1);
  EstimatePass<float> pass;
  const auto outputs_of = [&] {
    Subproblem problem;
    EXPECT_TRUE(problem.Choose(instance, order).ok());
    EstimateFeatures features;
    features.Compute(problem);
    return network->Forward(features, features.globals(), false, pass);
  };
  const auto plain = outputs_of();
  CounterRandom(5).Shuffle(std::span<NodeIndex>(order));
  const auto permuted = outputs_of();
  for (size_t o = 0; o < plain.size(); ++o) EXPECT_NEAR(plain[o], permuted[o], 1e-3);
}

TEST(EstimateNetworkTest, RefusesSizesByName) {
  const auto refused = [](const EstimateNetworkOptions& options) {
    return std::string(EstimateNetwork<float>::Create(options).status().message());
  };
  EXPECT_EQ(refused({.width = 20}), "width: got 20, wanted 16 to 1024, a multiple of 16");
  EXPECT_EQ(refused({.layers = -1}), "layers: got -1, wanted 0 to 24");
  EXPECT_EQ(refused({.heads = 3}), "heads: got 3, wanted a divisor of width, 32");
  EXPECT_EQ(refused({.hidden = 0}), "hidden: got 0, wanted 1 to 8192");
}

}  // namespace
}  // namespace vrp
