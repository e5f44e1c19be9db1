#include "core/kernels/decoder/decoder_launch_plan.h"

#include <algorithm>

namespace vrp {
namespace {

// Number of groups that keep a multiprocessor busy while some of them wait for memory.
constexpr int64_t kGroupsPerMultiprocessor = 8;
// Minimum number of groups of a block for which a copy in shared memory pays off, if blocks share a
// multiprocessor. In a rollout, a block that has a multiprocessor to itself always gains, because
// it reads the nodes at every step.
constexpr int32_t kMinGroupsForStaging = 4;

int64_t DivideRoundingUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Returns the size of the staged keys, values and logit keys.
int64_t StagedBytes(const DecoderLaunchSize& size) {
  return int64_t{3} * size.nodes * size.shape.hidden * int64_t{sizeof(float)};
}

// Returns the number of groups per block, at most `max_groups` and kMaxSlices, whose scratch fits
// together with `reserved_bytes`. Halves the number until the scratch fits, but returns at least
// one.
int32_t SlicesThatFit(const DecoderLaunchSize& size, const DeviceLimits& limits, int64_t max_groups,
                      int64_t reserved_bytes) {
  auto slices = static_cast<int32_t>(std::min<int64_t>(kMaxSlices, max_groups));
  while (slices > 1 && slices * size.group_scratch_bytes + reserved_bytes > limits.shared_bytes)
    slices /= 2;
  return slices;
}

// Distributes an instance's groups over blocks.
void DistributeGroups(const DecoderLaunchSize& size, const DeviceLimits& limits,
                      DecoderLaunchPlan& plan) {
  if (size.gradient && size.deterministic) return;
  const int64_t wanted_groups = DivideRoundingUp(kGroupsPerMultiprocessor * limits.multiprocessors,
                                                 std::max(size.instances, 1));
  // The steps of a trajectory can be divided among groups in second passes, but not in rollouts.
  const int64_t max_groups = size.gradient ? std::max<int64_t>(size.trajectories, wanted_groups)
                                           : int64_t{size.trajectories};
  // With a copy in shared memory only a block or two fit on a multiprocessor, and these blocks must
  // fill it.
  const int64_t staged = StagedBytes(size);
  const int32_t staged_slices = SlicesThatFit(size, limits, max_groups, staged);
  const int32_t blocks = static_cast<int32_t>(std::clamp<int64_t>(
      wanted_groups / staged_slices, 1, DivideRoundingUp(max_groups, staged_slices)));
  const bool has_own_multiprocessor =
      !size.gradient && int64_t{size.instances} * blocks <= limits.multiprocessors;
  if ((has_own_multiprocessor || staged_slices >= kMinGroupsForStaging) &&
      staged_slices * size.group_scratch_bytes + staged <= limits.shared_bytes) {
    plan.slices = staged_slices;
    plan.blocks_per_instance = blocks;
    plan.staged = true;
    return;
  }
  const int64_t groups = std::clamp<int64_t>(wanted_groups, 1, max_groups);
  plan.slices = SlicesThatFit(size, limits, groups, 0);
  plan.blocks_per_instance = static_cast<int32_t>(DivideRoundingUp(groups, plan.slices));
}

}  // namespace

DecoderLaunchPlan PlanDecoderLaunch(const DecoderLaunchSize& size, const DeviceLimits& limits) {
  DecoderLaunchPlan plan;
  DistributeGroups(size, limits, plan);
  const int32_t groups = plan.slices * plan.blocks_per_instance;
  plan.trajectory_parts = std::min(groups, size.trajectories);
  plan.step_parts = size.gradient ? groups / plan.trajectory_parts : 1;

  const int64_t group_scratch = plan.slices * size.group_scratch_bytes;
  if (group_scratch > limits.shared_bytes) {
    plan.global_scratch_bytes = plan.blocks(size.instances) * group_scratch;
    return plan;
  }
  plan.shared_bytes = group_scratch + (plan.staged ? StagedBytes(size) : 0);
  return plan;
}

}  // namespace vrp
