#include "core/train/run/best_weights.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const std::vector<float> kFirst = {1, 2};
const std::vector<float> kSecond = {3, 4};

TEST(BestWeightsTest, KeepsTheFirstOfTheLowestCostsAndIgnoresNan) {
  BestWeights best(/*keep_values=*/true);
  best.Offer({.cost = 5, .gap = 0.1}, 1, 10, kFirst);
  best.Offer({.cost = 5, .gap = 0.2}, 2, 20, kSecond);
  best.Offer({.cost = kNan}, 3, 30, kSecond);
  EXPECT_EQ(best.cost(), 5);
  EXPECT_EQ(best.gap(), 0.1);
  EXPECT_EQ(best.epoch(), 1);
  EXPECT_EQ(best.step(), 10);
  EXPECT_EQ(std::vector<float>(best.values().begin(), best.values().end()), kFirst);
  best.Offer({.cost = 4}, 4, 40, kSecond);
  EXPECT_EQ(best.step(), 40);
  EXPECT_EQ(std::vector<float>(best.values().begin(), best.values().end()), kSecond);
}

TEST(BestWeightsTest, KeepsNoValuesUnlessRequested) {
  BestWeights best(/*keep_values=*/false);
  best.Offer({.cost = 5}, 1, 10, kFirst);
  EXPECT_EQ(best.step(), 10);
  EXPECT_TRUE(best.values().empty());
  EXPECT_TRUE(best.TensorState().empty());
  EXPECT_EQ(best.ResetIfWeightsMissing(), 0);
}

TEST(BestWeightsTest, RestoresItsState) {
  BestWeights saved(/*keep_values=*/true);
  saved.Offer({.cost = 5, .gap = kNan}, 1, 10, kFirst);
  BestWeights best(/*keep_values=*/true);
  best.ExpectValues(saved.ScalarState(), /*has_values=*/true, 2);
  ASSERT_EQ(best.TensorState().count(BestWeights::TensorName()), 1u);
  best.Restore(saved.ScalarState());
  EXPECT_EQ(best.cost(), 5);
  EXPECT_TRUE(std::isnan(best.gap()));
  EXPECT_EQ(best.epoch(), 1);
  EXPECT_EQ(best.step(), 10);
  EXPECT_EQ(best.ResetIfWeightsMissing(), 0);
}

TEST(BestWeightsTest, ForgetsAValidationWithoutItsWeights) {
  BestWeights saved(/*keep_values=*/true);
  saved.Offer({.cost = 5}, 1, 10, kFirst);
  BestWeights best(/*keep_values=*/true);
  best.ExpectValues(saved.ScalarState(), /*has_values=*/false, 2);
  best.Restore(saved.ScalarState());
  EXPECT_EQ(best.ResetIfWeightsMissing(), 10);
  EXPECT_EQ(best.step(), 0);
  EXPECT_TRUE(std::isnan(best.cost()));
}

}  // namespace
}  // namespace vrp
