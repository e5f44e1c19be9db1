// Tests the moves of local search, such as that each delta equals the change of the plan's cost.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/kernels/improve/descent.h"
#include "tests/kernels/improve_case.h"

namespace vrp {
namespace {

using test::CostOf;
using test::ImproveCase;
using test::ImproveFixture;
using test::IsFeasible;
using test::RandomPlan;

template <typename Move>
class ImproveMoveTest : public testing::Test {};

using Moves = testing::Types<RelocateMove, SwapMove, TwoOptMove, TwoOptStarMove>;
TYPED_TEST_SUITE(ImproveMoveTest, Moves);

// Tries each feasible move of each pair of customers. Returns the number of moves.
template <typename Move>
int64_t TryAll(const ImproveCase& options) {
  const ImprovedPlan initial = RandomPlan(options);
  ImproveFixture fixture(initial);
  int64_t moves = 0;
  for (int32_t i = 1; i < initial.nodes; ++i) {
    for (int32_t j = 1; j < initial.nodes; ++j) {
      for (int32_t variant = 0; variant < Move::kVariants && i != j; ++variant) {
        const int32_t delta = Move::Delta(fixture.task(), fixture.scratch(), i, j, variant);
        if (delta == kNoMove) continue;
        Move::Apply(fixture.task(), fixture.scratch(), i, j, variant);
        const ImprovedPlan made = fixture.Trial();
        EXPECT_TRUE(IsFeasible(made)) << i << ", " << j << ", " << variant;
        EXPECT_EQ(CostOf(made), CostOf(initial) + delta) << i << ", " << j << ", " << variant;
        if (testing::Test::HasFailure()) return moves;
        fixture.Reset();
        ++moves;
      }
    }
  }
  return moves;
}

TYPED_TEST(ImproveMoveTest, DeltaEqualsTheCostChangeAndThePlanStaysFeasible) {
  int64_t moves = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    for (const int32_t capacity : {9, 18, 40, 1000}) {
      moves += TryAll<TypeParam>({.customers = 14, .capacity = capacity, .seed = seed});
    }
  }
  EXPECT_GT(moves, 200);
}

TEST(ImproveMovesTest, DescentEndsWithoutImprovingMoves) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const ImprovedPlan initial = RandomPlan({.customers = 60, .seed = seed});
    ImproveFixture fixture(initial);
    Descend(SerialGroup(), fixture.task(), fixture.scratch());
    const ImprovedPlan made = fixture.Trial();
    EXPECT_TRUE(IsFeasible(made));
    EXPECT_LT(CostOf(made), CostOf(initial) * 2 / 3);
    EXPECT_EQ(CostOf(made), fixture.scratch().trial.header->cost);
    EXPECT_FALSE(ApplyBestMove<RelocateMove>(SerialGroup(), fixture.task(), fixture.scratch()));
    EXPECT_FALSE(ApplyBestMove<SwapMove>(SerialGroup(), fixture.task(), fixture.scratch()));
    EXPECT_FALSE(ApplyBestMove<TwoOptStarMove>(SerialGroup(), fixture.task(), fixture.scratch()));
    EXPECT_FALSE(ApplyBestMove<TwoOptMove>(SerialGroup(), fixture.task(), fixture.scratch()));
  }
}

TEST(ImproveMovesTest, ListsHoldTheNearestCustomersInOrder) {
  ImproveFixture fixture(RandomPlan({.customers = 50}));
  const ImproveTask& task = fixture.task();
  ASSERT_EQ(task.list_length(), kListedNeighbours);
  for (int32_t from = 1; from < task.nodes; ++from) {
    const uint16_t* const list = task.neighbours + from * task.list_length();
    const int32_t farthest = task.Distance(from, list[task.list_length() - 1]);
    int32_t nearer = 0;
    for (int32_t to = 1; to < task.nodes; ++to) {
      nearer += to != from && task.Distance(from, to) < farthest ? 1 : 0;
    }
    EXPECT_LT(nearer, task.list_length());
    for (int32_t i = 0; i < task.list_length(); ++i) {
      EXPECT_NE(list[i], from);
      EXPECT_LE(task.Distance(from, list[std::max(i, 1) - 1]), task.Distance(from, list[i]));
    }
  }
}

TEST(ImproveMovesTest, RecreateReinsertsAllRemovedCustomers) {
  const ImprovedPlan initial = RandomPlan({.customers = 80, .seed = 3});
  ImproveFixture fixture(initial);
  const ImproveScratch& scratch = fixture.scratch();
  Descend(SerialGroup(), fixture.task(), scratch);
  int32_t largest_removal = 0;
  for (uint32_t round = 0; round < 300; ++round) {
    const int64_t before = CostOf(fixture.Trial());
    ImproveRandom random(7, round);
    scratch.state->word = random.Next();
    Ruin(fixture.task(), scratch, random);
    const ImprovedPlan ruined = fixture.Trial();
    EXPECT_EQ(CostOf(ruined), before + scratch.state->delta);
    int32_t kept = 0;
    for (const auto& route : ruined.plan) kept += static_cast<int32_t>(route.size());
    EXPECT_EQ(kept + scratch.state->removed, initial.nodes - 1);
    EXPECT_GE(scratch.state->removed, 1);
    largest_removal = std::max(largest_removal, scratch.state->removed);
    ASSERT_TRUE(Recreate(SerialGroup(), fixture.task(), scratch));
    EXPECT_TRUE(IsFeasible(fixture.Trial()));
    EXPECT_EQ(CostOf(fixture.Trial()), before + scratch.state->delta);
  }
  EXPECT_GT(largest_removal, kMaxStringLength);
}

}  // namespace
}  // namespace vrp
