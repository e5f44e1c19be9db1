#include "core/base/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/random.h"

namespace vrp {
namespace {

double SumOf(std::span<const double> values, size_t columns, std::span<const int32_t> chosen) {
  double sum = 0;
  for (size_t row = 0; row < chosen.size(); ++row) {
    sum += values[row * columns + static_cast<size_t>(chosen[row])];
  }
  return sum;
}

// Returns the largest sum over all assignments.
double LargestSum(std::span<const double> values, size_t rows, size_t columns) {
  std::vector<int32_t> order(columns);
  std::iota(order.begin(), order.end(), 0);
  double best = -1e300;
  do {
    best = std::max(best, SumOf(values, columns, std::span(order).first(rows)));
  } while (std::ranges::next_permutation(order).found);
  return best;
}

TEST(AssignmentTest, HasTheLargestSumOfAllAssignments) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CounterRandom random(seed);
    const auto rows = static_cast<size_t>(random.UniformInt(1, 5));
    const auto columns = rows + static_cast<size_t>(random.UniformInt(0, 2));
    std::vector<double> values(rows * columns);
    for (double& value : values) value = static_cast<double>(random.UniformInt(-9, 9));
    const std::vector<int32_t> chosen = BestAssignment(values, rows, columns);
    ASSERT_EQ(chosen.size(), rows);
    std::vector<int32_t> distinct = chosen;
    std::ranges::sort(distinct);
    EXPECT_EQ(std::ranges::unique(distinct).size(), 0u) << "seed " << seed;
    EXPECT_DOUBLE_EQ(SumOf(values, columns, chosen), LargestSum(values, rows, columns))
        << "seed " << seed;
  }
}

TEST(AssignmentTest, AssignsNoRowsToNoColumns) { EXPECT_TRUE(BestAssignment({}, 0, 0).empty()); }

}  // namespace
}  // namespace vrp
