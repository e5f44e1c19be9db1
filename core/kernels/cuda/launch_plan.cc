#include "core/kernels/cuda/launch_plan.h"

#include <algorithm>

namespace vrp {
namespace {

// Groups that keep a multiprocessor busy while others wait for memory.
constexpr int64_t kGroupsPerMultiprocessor = 8;
// Trajectories of a block from which on a copy in shared memory pays for itself.
constexpr int64_t kTrajectoriesWorthStaging = 4;

int64_t RoundedUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

LaunchPlan PlanLaunch(const LaunchSize& size, const DeviceLimits& limits) {
  LaunchPlan plan;
  if (!(size.gradient && size.deterministic)) {
    const int64_t wanted =
        RoundedUp(kGroupsPerMultiprocessor * limits.multiprocessors, std::max(size.instances, 1));
    // Rollouts cannot share a trajectory's steps; second passes can.
    const int64_t most =
        size.gradient ? std::max<int64_t>(size.trajectories, wanted) : int64_t{size.trajectories};
    const int64_t groups = std::clamp<int64_t>(wanted, 1, most);
    plan.slices = static_cast<int32_t>(std::min<int64_t>(kMaxSlices, groups));
    plan.blocks_per_instance = static_cast<int32_t>(RoundedUp(groups, plan.slices));
  }
  while (plan.slices > 1 && plan.slices * size.room_bytes > limits.shared_bytes) {
    plan.slices /= 2;
    plan.blocks_per_instance *= 2;
  }
  const int32_t groups = plan.slices * plan.blocks_per_instance;
  plan.trajectory_parts = std::min(groups, size.trajectories);
  plan.step_parts = size.gradient ? groups / plan.trajectory_parts : 1;

  const int64_t rooms = plan.slices * size.room_bytes;
  if (rooms > limits.shared_bytes) {
    plan.scratch_bytes = plan.blocks(size.instances) * rooms;
    return plan;
  }
  const int64_t staged = int64_t{3} * size.nodes * size.shape.hidden * int64_t{sizeof(float)};
  const int64_t trajectories =
      int64_t{plan.slices} * RoundedUp(size.trajectories, plan.trajectory_parts);
  plan.staged = trajectories >= kTrajectoriesWorthStaging && rooms + staged <= limits.shared_bytes;
  plan.shared_bytes = rooms + (plan.staged ? staged : 0);
  return plan;
}

}  // namespace vrp
