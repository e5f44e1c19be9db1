#include "core/jobs/sweep/sweep_trials.h"

#include <set>
#include <string>

#include "core/base/number.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SweepFile Drawn(std::vector<SweepKey> keys, int32_t trials) {
  SweepFile file;
  file.method = SweepMethod::kRandom;
  file.keys = std::move(keys);
  file.trials = trials;
  return file;
}

SweepFile Grid(std::vector<SweepKey> keys) {
  SweepFile file;
  file.keys = std::move(keys);
  return file;
}

// Returns the values of the only key of `trials`.
std::vector<double> ValuesOf(const std::vector<TrialSettings>& trials) {
  std::vector<double> values;
  for (const TrialSettings& trial : trials) {
    values.push_back(*ParseNumber(trial.front().substr(trial.front().find('=') + 1)));
  }
  return values;
}

TEST(SweepTrialsTest, GridHasEveryCombination) {
  const auto trials = ExpandTrials(
      Grid({{.path = "a", .values = {"1", "2"}}, {.path = "b", .values = {"x", "y"}}}), 0, "s");
  ASSERT_TRUE(trials.ok()) << trials.status();
  EXPECT_THAT(*trials, ElementsAre(ElementsAre("a=1", "b=x"), ElementsAre("a=1", "b=y"),
                                   ElementsAre("a=2", "b=x"), ElementsAre("a=2", "b=y")));
}

TEST(SweepTrialsTest, GridDividesRangesEvenly) {
  const auto linear = ExpandTrials(
      Grid({{.path = "a", .range = SweepRange{.min = 0, .max = 1, .count = 5}}}), 0, "s");
  EXPECT_THAT(ValuesOf(*linear), ElementsAre(0, 0.25, 0.5, 0.75, 1));
  const auto log = ExpandTrials(
      Grid({{.path = "a",
             .range = SweepRange{.min = 0.001, .max = 10, .logarithmic = true, .count = 5}}}),
      0, "s");
  EXPECT_THAT(ValuesOf(*log), ElementsAre(0.001, 0.01, 0.1, 1, 10));
  // Two of the five values would be equal integers.
  const auto integers = ExpandTrials(
      Grid({{.path = "a", .range = SweepRange{.min = 1, .max = 4, .integer = true, .count = 5}}}),
      0, "s");
  EXPECT_THAT(ValuesOf(*integers), ElementsAre(1, 2, 3, 4));
}

TEST(SweepTrialsTest, RefusesTooManyCombinations) {
  std::vector<std::string> values;
  for (int i = 0; i < 23; ++i) values.push_back(std::to_string(i));
  const auto trials = ExpandTrials(
      Grid({{.path = "a", .values = values}, {.path = "b", .values = values}}), 0, "s");
  EXPECT_THAT(std::string(trials.status().message()),
              HasSubstr("s: keys: have more than 500 combinations"));
}

TEST(SweepTrialsTest, DrawsLieInTheirRanges) {
  const auto log = ExpandTrials(
      Drawn({{.path = "a", .range = SweepRange{.min = 0.001, .max = 10, .logarithmic = true}}},
            200),
      3, "s");
  ASSERT_TRUE(log.ok()) << log.status();
  int small = 0;
  for (const double value : ValuesOf(*log)) {
    EXPECT_GE(value, 0.001);
    EXPECT_LE(value, 10);
    small += value < 0.1 ? 1 : 0;
  }
  // Half of the logarithms lie below that of 0.1.
  EXPECT_GT(small, 70);
  EXPECT_LT(small, 130);
  const auto integers = ExpandTrials(
      Drawn({{.path = "a", .range = SweepRange{.min = -1, .max = 1, .integer = true}}}, 3), 3, "s");
  ASSERT_TRUE(integers.ok()) << integers.status();
  const std::vector<double> values = ValuesOf(*integers);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()), (std::set<double>{-1, 0, 1}));
}

TEST(SweepTrialsTest, EqualSeedsDrawEqualTrials) {
  const std::vector<SweepKey> keys = {{.path = "a", .range = SweepRange{.min = 0, .max = 1}},
                                      {.path = "b", .values = {"x", "y", "z"}}};
  const auto five = ExpandTrials(Drawn(keys, 5), 3, "s");
  const auto eight = ExpandTrials(Drawn(keys, 8), 3, "s");
  ASSERT_TRUE(five.ok() && eight.ok());
  EXPECT_EQ(*five, std::vector<TrialSettings>(eight->begin(), eight->begin() + 5));
  EXPECT_NE(*five, *ExpandTrials(Drawn(keys, 5), 4, "s"));
}

TEST(SweepTrialsTest, RefusesMoreDrawsThanCombinations) {
  const auto all = ExpandTrials(Drawn({{.path = "a", .values = {"1", "2", "3"}}}, 3), 1, "s");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(std::set<TrialSettings>(all->begin(), all->end()).size(), 3);
  const auto more = ExpandTrials(Drawn({{.path = "a", .values = {"1", "2", "3"}}}, 4), 1, "s");
  EXPECT_THAT(std::string(more.status().message()),
              HasSubstr("s: trials: got 4, but only 3 different combinations were found"));
}

TEST(SweepTrialsTest, SelectsAfterGrowingNumbersOfEpochs) {
  EXPECT_THAT(SelectionEpochs(1, 3, 10), ElementsAre(1, 3, 9));
  EXPECT_THAT(SelectionEpochs(2, 2, 8), ElementsAre(2, 4));
  EXPECT_THAT(SelectionEpochs(8, 2, 8), IsEmpty());
}

}  // namespace
}  // namespace vrp
