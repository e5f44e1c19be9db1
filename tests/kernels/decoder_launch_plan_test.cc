#include "core/kernels/decoder/decoder_launch_plan.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "core/kernels/decoder/decoder_scratch.h"
#include "core/kernels/decoder/tiled_pass_plan.h"
#include "core/kernels/decoder/tiled_rollout_plan.h"
#include "core/kernels/decoder/warp_launch_plan.h"

namespace vrp {
namespace {

constexpr DeviceLimits kH200 = {.shared_bytes = 232'448, .multiprocessors = 132};
constexpr DeviceLimits kRtx3090 = {.shared_bytes = 101'376, .multiprocessors = 82};

DecoderLaunchSize SizeOf(int32_t instances, int32_t nodes, int32_t trajectories, bool gradient) {
  const DecoderShape shape;
  return {.shape = shape,
          .instances = instances,
          .nodes = nodes,
          .trajectories = trajectories,
          .group_scratch_bytes = LayOutDecoderScratch<float>(shape, nodes, gradient).bytes,
          .gradient = gradient};
}

// Expects that every step of every trajectory belongs to exactly one group of the instance.
void ExpectEachStepOnce(const DecoderLaunchPlan& plan, int32_t trajectories) {
  std::set<std::tuple<int32_t, int32_t>> seen;
  for (int32_t group = 0; group < plan.slices * plan.blocks_per_instance; ++group) {
    const int32_t part = group / plan.trajectory_parts;
    if (part >= plan.step_parts) continue;
    for (int32_t p = group % plan.trajectory_parts; p < trajectories; p += plan.trajectory_parts) {
      for (int32_t t = part; t < 20; t += plan.step_parts) {
        EXPECT_TRUE(seen.emplace(p, t).second) << p << ", " << t;
      }
    }
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(trajectories) * 20);
}

TEST(PlanDecoderLaunchTest, AssignsEachStepToOneGroup) {
  for (const DeviceLimits& limits : {kH200, kRtx3090}) {
    for (const int32_t instances : {1, 3, 64, 512, 10'000}) {
      for (const int32_t nodes : {2, 21, 101, 1'001, 5'001}) {
        for (const int32_t trajectories : {1, 2, 7, 50, 800}) {
          for (const bool gradient : {false, true}) {
            SCOPED_TRACE(testing::Message() << instances << " x " << nodes << " x " << trajectories
                                            << (gradient ? " gradient" : ""));
            const DecoderLaunchPlan plan =
                PlanDecoderLaunch(SizeOf(instances, nodes, trajectories, gradient), limits);
            ExpectEachStepOnce(plan, trajectories);
            EXPECT_LE(plan.shared_bytes, limits.shared_bytes);
            EXPECT_LE(plan.slices, kMaxSlices);
            EXPECT_TRUE(gradient || plan.step_parts == 1);
          }
        }
      }
    }
  }
}

TEST(PlanDecoderLaunchTest, StagesNodesThatManyTrajectoriesRead) {
  EXPECT_TRUE(PlanDecoderLaunch(SizeOf(64, 101, 100, false), kH200).staged);
  // The staged nodes need 155 kB of shared memory, and a block has at most 101 kB.
  EXPECT_FALSE(PlanDecoderLaunch(SizeOf(64, 101, 100, false), kRtx3090).staged);
  EXPECT_TRUE(PlanDecoderLaunch(SizeOf(64, 51, 50, false), kRtx3090).staged);
  EXPECT_FALSE(PlanDecoderLaunch(SizeOf(512, 51, 1, false), kH200).staged);
}

TEST(PlanDecoderLaunchTest, StagesNodesIfABlockHasAMultiprocessorToItself) {
  for (const int32_t instances : {1, 132}) {
    const DecoderLaunchPlan plan = PlanDecoderLaunch(SizeOf(instances, 101, 1, false), kH200);
    EXPECT_TRUE(plan.staged);
    EXPECT_EQ(plan.slices, 1);
    EXPECT_EQ(plan.blocks_per_instance, 1);
  }
  EXPECT_FALSE(PlanDecoderLaunch(SizeOf(133, 101, 1, false), kH200).staged);
  // The staged nodes need 155 kB of shared memory, and a block has at most 101 kB.
  EXPECT_FALSE(PlanDecoderLaunch(SizeOf(1, 101, 1, false), kRtx3090).staged);
}

TEST(PlanDecoderLaunchTest, FillsABlockWithStagedNodes) {
  for (const int32_t instances : {64, 512, 10'000}) {
    SCOPED_TRACE(instances);
    for (const bool gradient : {false, true}) {
      const DecoderLaunchPlan plan =
          PlanDecoderLaunch(SizeOf(instances, 101, 100, gradient), kH200);
      EXPECT_TRUE(plan.staged);
      EXPECT_EQ(plan.slices, kMaxSlices);
    }
  }
  const DecoderLaunchPlan few = PlanDecoderLaunch(
      SizeOf(1024, 61, 100, false), kRtx3090);  // only 2 groups fit beside the staged nodes
  EXPECT_FALSE(few.staged);
}

TEST(PlanDecoderLaunchTest, UsesGlobalMemoryForGroupsThatDoNotFit) {
  const DecoderLaunchSize size = SizeOf(2, 10'001, 1, false);
  const DecoderLaunchPlan plan = PlanDecoderLaunch(size, kH200);
  EXPECT_GT(size.group_scratch_bytes, kH200.shared_bytes);
  EXPECT_EQ(plan.shared_bytes, 0);
  EXPECT_EQ(plan.global_scratch_bytes, plan.blocks(2) * plan.slices * size.group_scratch_bytes);
}

TEST(PlanDecoderLaunchTest, ShrinksBlocksBeforeLeavingSharedMemory) {
  const DecoderLaunchPlan plan = PlanDecoderLaunch(SizeOf(4, 1'001, 100, true), kH200);
  EXPECT_EQ(plan.global_scratch_bytes, 0);
  EXPECT_LT(plan.slices, kMaxSlices);
  EXPECT_GT(plan.blocks_per_instance, 1);
}

TEST(PlanDecoderLaunchTest, LetsOneGroupSumDeterministicGradients) {
  DecoderLaunchSize size = SizeOf(8, 51, 50, true);
  size.deterministic = true;
  const DecoderLaunchPlan plan = PlanDecoderLaunch(size, kH200);
  EXPECT_EQ(plan.slices * plan.blocks_per_instance, 1);
}

TEST(PlanDecoderLaunchTest, DividesTheStepsOfFewTrajectories) {
  EXPECT_GT(PlanDecoderLaunch(SizeOf(16, 101, 1, true), kH200).step_parts, 1);
}

TEST(PlanWarpRolloutTest, GivesEachTrajectoryToOneWarpOrTeam) {
  for (const int32_t instances : {1, 64, 10'000}) {
    for (const int32_t trajectories : {1, 3, 4, 50, 100}) {
      SCOPED_TRACE(testing::Message() << instances << " x " << trajectories);
      const WarpRolloutPlan plan =
          PlanWarpRollout(SizeOf(instances, 51, trajectories, false), kH200);
      ASSERT_GT(plan.warps, 0);
      EXPECT_LE(plan.warps, kMaxDecoderWarps);
      EXPECT_LE(plan.shared_bytes, kH200.shared_bytes);
      EXPECT_EQ(plan.team, trajectories < 4);
      EXPECT_LE(plan.blocks_per_instance, trajectories);
    }
  }
}

TEST(PlanWarpRolloutTest, LeavesSizesThatDoNotFitToTheGeneralKernel) {
  DecoderLaunchSize size = SizeOf(64, 51, 50, false);
  size.shape = {.hidden = 48, .heads = 3};
  EXPECT_EQ(PlanWarpRollout(size, kH200).warps, 0);
  EXPECT_EQ(PlanWarpRollout(SizeOf(64, 1'001, 50, false), kH200).warps, 0);
  EXPECT_EQ(PlanWarpRollout(SizeOf(64, 101, 1, false), kRtx3090).warps, 0);
}

TEST(PlanWarpRolloutTest, HalvesTheRowsInBf16) {
  DecoderLaunchSize size = SizeOf(64, 201, 1, false);
  EXPECT_EQ(PlanWarpRollout(size, kH200).warps, 0);
  size.bf16 = true;
  const WarpRolloutPlan plan = PlanWarpRollout(size, kH200);
  EXPECT_GT(plan.warps, 0);
  EXPECT_TRUE(plan.bf16);
}

TEST(PlanTiledRolloutTest, NeedsRowsInBf16AndATileOfTrajectories) {
  DecoderLaunchSize size = SizeOf(512, 101, 100, false);
  EXPECT_EQ(PlanTiledRollout(size, kH200).tiles, 0);
  size.bf16 = true;
  const TiledRolloutPlan plan = PlanTiledRollout(size, kH200);
  EXPECT_EQ(plan.tiles, 13);
  EXPECT_LE(plan.shared_bytes, kH200.shared_bytes);
  EXPECT_EQ(PlanTiledRollout(size, kRtx3090).tiles, 0);
  size.trajectories = kTileRows - 1;
  EXPECT_EQ(PlanTiledRollout(size, kH200).tiles, 0);
}

TEST(PlanTiledPassTest, CoversAllNodesWithItsChunks) {
  for (const int32_t nodes : {2, 16, 17, 51, 57, 101, 104}) {
    for (const bool exact : {false, true}) {
      SCOPED_TRACE(testing::Message() << nodes << (exact ? " exact" : ""));
      DecoderLaunchSize size = SizeOf(512, nodes, 100, true);
      size.exact = exact;
      const TiledPassPlan plan = PlanTiledPass(size, kH200);
      EXPECT_GE(plan.tiles * kTileNodes, nodes);
      EXPECT_GE(plan.chunks * plan.sum_tiles, plan.tiles);
      EXPECT_LE(plan.shared_bytes, kH200.shared_bytes);
      EXPECT_EQ(plan.exact, exact);
    }
  }
}

TEST(PlanTiledPassTest, LeavesSizesThatDoNotFitToTheGeneralKernel) {
  EXPECT_EQ(PlanTiledPass(SizeOf(512, 105, 100, true), kH200).tiles, 0);
  EXPECT_EQ(PlanTiledPass(SizeOf(512, 51, 50, true), kRtx3090).tiles, 0);
  DecoderLaunchSize size = SizeOf(512, 51, 50, true);
  size.shape = {.hidden = 128, .heads = 4};
  EXPECT_EQ(PlanTiledPass(size, kH200).tiles, 0);
}

TEST(PlanTiledPassTest, FitsMoreNodesWithCoarseProducts) {
  EXPECT_EQ(PlanTiledPass(SizeOf(512, 32, 30, true), kRtx3090).tiles, 4);
  DecoderLaunchSize size = SizeOf(512, 80, 80, true);
  EXPECT_EQ(PlanTiledPass(size, kRtx3090).tiles, 0);
  size.exact = false;
  EXPECT_EQ(PlanTiledPass(size, kRtx3090).tiles, 10);
}

TEST(PlanTiledPassTest, SumsInOneBlockIfTheOrderMustBeFixed) {
  DecoderLaunchSize size = SizeOf(1, 51, 50, true);
  EXPECT_GT(PlanTiledPass(size, kH200).parts, 1);
  size.deterministic = true;
  EXPECT_EQ(PlanTiledPass(size, kH200).parts, 1);
  EXPECT_TRUE(PlanTiledPass(size, kH200).ordered);
}

}  // namespace
}  // namespace vrp
