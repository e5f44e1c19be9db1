#include "core/search/tour.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/search/fast_random.h"
#include "core/search/search_problem.h"
#include "core/search/tour_improver.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

std::vector<NodeIndex> Numbers(int32_t count) {
  std::vector<NodeIndex> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

double Length(const SearchProblem& problem, const Tour& tour) {
  return problem.SequenceDistance(tour.order()) +
         problem.Distance(tour.order().back(), tour.order().front());
}

void ExpectPermutation(const Tour& tour) {
  std::vector<NodeIndex> sorted = tour.order();
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, Numbers(tour.size()));
  for (int32_t i = 0; i < tour.size(); ++i) EXPECT_EQ(tour.PositionOf(tour.At(i)), i);
}

TEST(TourTest, ReversesAPathOrTheRestOfTheTour) {
  Tour tour(Numbers(8));
  tour.Reverse(2, 4);
  EXPECT_EQ(tour.order(), (std::vector<NodeIndex>{0, 1, 4, 3, 2, 5, 6, 7}));
  Tour long_way(Numbers(8));
  long_way.Reverse(1, 6);  // the same cycle as turning 7, 0
  EXPECT_EQ(long_way.Next(0) == 6 || long_way.Previous(0) == 6, true);
  EXPECT_EQ(long_way.Next(7) == 1 || long_way.Previous(7) == 1, true);
  ExpectPermutation(long_way);
}

TEST(TourTest, UndoesAllChangesSinceTheLastForget) {
  FastRandom random(2);
  Tour tour(Numbers(31));
  tour.Reverse(3, 9);
  tour.ForgetChanges();
  const std::vector<NodeIndex> before = tour.order();
  for (int i = 0; i < 50; ++i) tour.Reverse(random.Below(31), random.Below(31));
  EXPECT_NE(tour.order(), before);
  tour.UndoChanges();
  EXPECT_EQ(tour.order(), before);
  ExpectPermutation(tour);
}

TEST(TourImproverTest, ReportsTheChangeOfLengthExactly) {
  for (const int32_t customers : {3, 4, 5, 6, 7, 9, 20, 120}) {
    const Instance instance =
        AnInstance().Kind(ProblemKind::kTsp).WithCustomers(customers).Seed(customers).Build();
    const SearchProblem problem = SearchProblem::Create(instance, {});
    Tour tour(Numbers(problem.size()));
    TourImprover improver(problem, tour);
    const double before = Length(problem, tour);
    for (NodeIndex node = 0; node < problem.size(); ++node) improver.Push(node);
    const double change = improver.Run({});
    EXPECT_LE(change, 0);
    EXPECT_NEAR(Length(problem, tour), before + change, 1e-6) << customers;
    ExpectPermutation(tour);
  }
}

TEST(TourImproverTest, SwapsTwoPathsThatFollowEachOther) {
  const Instance instance = AnInstance().Kind(ProblemKind::kTsp).WithCustomers(19).Build();
  const SearchProblem problem = SearchProblem::Create(instance, {});
  FastRandom random(4);
  Tour tour(Numbers(20));
  TourImprover improver(problem, tour);
  for (int i = 0; i < 200; ++i) {
    const double before = Length(problem, tour);
    const int32_t at = random.Below(20);
    const NodeIndex a = tour.At(at);
    const NodeIndex b = tour.At((at + random.Between(1, 9)) % 20);
    const NodeIndex c = tour.At((tour.PositionOf(b) + random.Between(1, 9)) % 20);
    if (c == a) continue;
    const double change = improver.SwapPaths(a, b, c);
    ASSERT_NEAR(Length(problem, tour), before + change, 1e-6);
    ExpectPermutation(tour);
  }
}

}  // namespace
}  // namespace vrp
