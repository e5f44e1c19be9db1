#include "core/train/learners/paired_t_test.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(StudentTCdfTest, HasTheTabulatedValues) {
  EXPECT_NEAR(StudentTCdf(-6.313752, 1), 0.05, 1e-7);
  EXPECT_NEAR(StudentTCdf(-1.812461, 10), 0.05, 1e-7);
  EXPECT_NEAR(StudentTCdf(-2.763769, 10), 0.01, 1e-7);
  EXPECT_NEAR(StudentTCdf(2.763769, 10), 0.99, 1e-7);
  EXPECT_NEAR(StudentTCdf(-1.644854, 1e7), 0.05, 1e-6);
  EXPECT_NEAR(StudentTCdf(0, 5), 0.5, 1e-12);
}

TEST(PairedTTestTest, AgreesWithAWorkedExample) {
  // The differences are -1, -2, -3, 0 and -1. Their mean is -1.4, the standard error 0.509902, and
  // t is -2.745626 at 4 degrees of freedom.
  const std::vector<double> costs = {4, 3, 2, 5, 4};
  const std::vector<double> baseline = {5, 5, 5, 5, 5};
  EXPECT_NEAR(PairedTTest(costs, baseline), 0.0258, 1e-4);
}

TEST(PairedTTestTest, IsOneWithoutAnImprovement) {
  const std::vector<double> low = {1, 2, 3};
  const std::vector<double> high = {2, 3, 4};
  EXPECT_EQ(PairedTTest(high, low), 1);
  EXPECT_EQ(PairedTTest(low, low), 1);
  EXPECT_EQ(PairedTTest(low, high), 0);  // every difference is exactly -1
  EXPECT_EQ(PairedTTest({}, {}), 1);
  EXPECT_EQ(PairedTTest(std::vector<double>{std::nan(""), 1}, std::vector<double>{1, 2}), 1);
}

}  // namespace
}  // namespace vrp
