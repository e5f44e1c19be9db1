#include "core/jobs/progress_json.h"

#include <bit>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace vrp {
namespace {

class ProgressJsonTest : public ::testing::TestWithParam<double> {};

TEST_P(ProgressJsonTest, EveryDoubleComesBack) {
  const TrainingProgress progress{.epoch = 3,
                                  .epochs = 9,
                                  .step = std::numeric_limits<int64_t>::max(),
                                  .steps = 1,
                                  .loss = GetParam(),
                                  .validation_cost = GetParam(),
                                  .instances_per_second = GetParam(),
                                  .end_of_epoch = true};
  const auto read = ParseProgress(WriteProgress(progress));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->step, progress.step);
  EXPECT_EQ(read->epoch, 3);
  EXPECT_TRUE(read->end_of_epoch);
  EXPECT_EQ(read->train_cost, 0);
  for (const double value : {read->loss, read->validation_cost, read->instances_per_second}) {
    EXPECT_TRUE(std::isnan(GetParam())
                    ? std::isnan(value)
                    : std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(GetParam()))
        << value;
  }
}

INSTANTIATE_TEST_SUITE_P(Values, ProgressJsonTest,
                         ::testing::Values(0.0, -0.0, 0.1, 1.0 / 3, -7.25e300, 5e-324, 1e17,
                                           std::numeric_limits<double>::quiet_NaN(),
                                           std::numeric_limits<double>::infinity(),
                                           -std::numeric_limits<double>::infinity()));

TEST(ProgressJsonTextTest, OtherTextIsDataLoss) {
  for (const char* text :
       {"", "{", "[]", R"({"step": "3"})", R"({"loss": "much"})", R"({"end_of_epoch": 1})"}) {
    EXPECT_TRUE(absl::IsDataLoss(ParseProgress(text).status())) << text;
  }
  EXPECT_TRUE(ParseProgress(R"({"a_later_key": 1})").ok());
}

}  // namespace
}  // namespace vrp
