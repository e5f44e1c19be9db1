#include "core/problem/plan/gap_reference.h"

#include <cmath>

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(Gap, IsTheShareAboveTheReference) {
  EXPECT_DOUBLE_EQ(Gap(110, 100), 0.1);
  EXPECT_EQ(Gap(375, 375), 0);
  EXPECT_LT(Gap(90, 100), 0);
}

TEST(Gap, IsNanWithoutAPositiveReference) {
  EXPECT_TRUE(std::isnan(Gap(1, 0)));
  EXPECT_TRUE(std::isnan(Gap(1, -2)));
  EXPECT_TRUE(std::isnan(Gap(1, std::nan(""))));
}

TEST(SearchReference, NamesItsTimeOrIterations) {
  EXPECT_EQ(SearchReference(absl::Seconds(1)), "search 1 s");
  EXPECT_EQ(SearchReference(absl::Milliseconds(1500)), "search 1.5 s");
  EXPECT_EQ(SearchReference(absl::Milliseconds(50)), "search 50 ms");
  EXPECT_EQ(SearchReference(absl::Minutes(1)), "search 60 s");
  EXPECT_EQ(SearchReference(int64_t{200}), "search 200 iterations");
  EXPECT_EQ(SearchReference(int64_t{1}), "search 1 iteration");
  EXPECT_EQ(SearchReference(int64_t{0}), "search's first descent");
}

}  // namespace
}  // namespace vrp
