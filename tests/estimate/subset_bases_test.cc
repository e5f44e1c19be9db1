// Tests which subsets are found to differ by a customer.
#include "core/estimate/subset_bases.h"

#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(SubsetBasesTest, FindsSubsetsThatLackOneCustomer) {
  const std::vector<std::vector<NodeIndex>> subsets = {{1, 2, 3}, {4, 3, 2, 1}, {5},
                                                       {2, 1},    {1, 2, 6},    {5, 1, 2, 3, 4, 6}};
  const std::vector<SubsetBase> bases = FindSubsetBases(subsets);
  ASSERT_EQ(bases.size(), 6);
  EXPECT_EQ(bases[0].base, 3);
  EXPECT_EQ(bases[0].added, 3);
  EXPECT_EQ(bases[1].base, 0);
  EXPECT_EQ(bases[1].added, 4);
  EXPECT_EQ(bases[2].base, -1);
  EXPECT_EQ(bases[3].base, -1);
  EXPECT_EQ(bases[4].base, 3);
  EXPECT_EQ(bases[4].added, 6);
  EXPECT_EQ(bases[5].base, -1) << "two more than any other";
}

TEST(SubsetBasesTest, TakesTheFirstOfEqualSubsets) {
  const std::vector<std::vector<NodeIndex>> subsets = {{7, 8}, {8, 7}, {7, 8, 9}, {7, 8, 9}};
  const std::vector<SubsetBase> bases = FindSubsetBases(subsets);
  EXPECT_EQ(bases[1].base, -1);
  EXPECT_EQ(bases[2].base, 0);
  EXPECT_EQ(bases[3].base, 0);
}

TEST(SubsetBasesTest, FindsNoneAmongEmptySubsets) {
  const std::vector<std::vector<NodeIndex>> subsets = {{}, {1}, {}};
  for (const SubsetBase& base : FindSubsetBases(subsets)) EXPECT_EQ(base.base, -1);
}

}  // namespace
}  // namespace vrp
