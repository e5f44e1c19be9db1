// Compares the delta of every move of the descent with the cost of the plan that the move makes.
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

// Tries all moves between all customers. Returns the number of moves.
template <typename Move>
int64_t TryAll(const ImproveCase& options) {
  const ImprovedPlan begun = RandomPlan(options);
  ImproveFixture fixture(begun);
  int64_t moves = 0;
  for (int32_t i = 1; i < begun.nodes; ++i) {
    for (int32_t j = 1; j < begun.nodes; ++j) {
      for (int32_t variant = 0; variant < Move::kVariants && i != j; ++variant) {
        const int32_t delta = Move::Delta(fixture.task(), fixture.scratch(), i, j, variant);
        if (delta == kNoMove) continue;
        Move::Apply(fixture.task(), fixture.scratch(), i, j, variant);
        const ImprovedPlan made = fixture.Trial();
        EXPECT_TRUE(IsFeasible(made)) << i << ", " << j << ", " << variant;
        EXPECT_EQ(CostOf(made), CostOf(begun) + delta) << i << ", " << j << ", " << variant;
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
    const ImprovedPlan begun = RandomPlan({.customers = 60, .seed = seed});
    ImproveFixture fixture(begun);
    Descend(SerialGroup(), fixture.task(), fixture.scratch());
    const ImprovedPlan made = fixture.Trial();
    EXPECT_TRUE(IsFeasible(made));
    EXPECT_LT(CostOf(made), CostOf(begun) * 2 / 3);
    EXPECT_EQ(CostOf(made), fixture.scratch().trial.header->cost);
    EXPECT_FALSE(MakeBest<RelocateMove>(SerialGroup(), fixture.task(), fixture.scratch()));
    EXPECT_FALSE(MakeBest<SwapMove>(SerialGroup(), fixture.task(), fixture.scratch()));
    EXPECT_FALSE(MakeBest<TwoOptStarMove>(SerialGroup(), fixture.task(), fixture.scratch()));
    EXPECT_FALSE(MakeBest<TwoOptMove>(SerialGroup(), fixture.task(), fixture.scratch()));
  }
}

TEST(ImproveMovesTest, ListsHoldTheNearestCustomersInOrder) {
  ImproveFixture fixture(RandomPlan({.customers = 50}));
  const ImproveTask& task = fixture.task();
  ASSERT_EQ(task.listed(), kListedNear);
  for (int32_t from = 1; from < task.nodes; ++from) {
    const uint16_t* const list = task.near + from * task.listed();
    const int32_t farthest = task.Distance(from, list[task.listed() - 1]);
    int32_t nearer = 0;
    for (int32_t to = 1; to < task.nodes; ++to) {
      nearer += to != from && task.Distance(from, to) < farthest ? 1 : 0;
    }
    EXPECT_LT(nearer, task.listed());
    for (int32_t i = 0; i < task.listed(); ++i) {
      EXPECT_NE(list[i], from);
      EXPECT_LE(task.Distance(from, list[std::max(i, 1) - 1]), task.Distance(from, list[i]));
    }
  }
}

TEST(ImproveMovesTest, RecreateReinsertsAllRemovedCustomers) {
  const ImprovedPlan begun = RandomPlan({.customers = 80, .seed = 3});
  ImproveFixture fixture(begun);
  const ImproveScratch& scratch = fixture.scratch();
  Descend(SerialGroup(), fixture.task(), scratch);
  int32_t most = 0;
  for (uint32_t round = 0; round < 300; ++round) {
    const int64_t before = CostOf(fixture.Trial());
    ImproveRandom random(7, round);
    scratch.state->word = random.Next();
    Ruin(fixture.task(), scratch, random);
    const ImprovedPlan ruined = fixture.Trial();
    EXPECT_EQ(CostOf(ruined), before + scratch.state->delta);
    int32_t left = 0;
    for (const auto& route : ruined.plan) left += static_cast<int32_t>(route.size());
    EXPECT_EQ(left + scratch.state->removed, begun.nodes - 1);
    EXPECT_GE(scratch.state->removed, 1);
    most = std::max(most, scratch.state->removed);
    ASSERT_TRUE(Recreate(SerialGroup(), fixture.task(), scratch));
    EXPECT_TRUE(IsFeasible(fixture.Trial()));
    EXPECT_EQ(CostOf(fixture.Trial()), before + scratch.state->delta);
  }
  EXPECT_GT(most, kLongestString);
}

}  // namespace
}  // namespace vrp
