#include "core/kernels/improve/improve_launch_plan.h"

namespace vrp {

ImproveLaunchPlan PlanImproveLaunch(int32_t instances, int64_t warp_scratch_bytes,
                                    const DeviceLimits& limits) {
  ImproveLaunchPlan plan = {.warps = kMaxImproveWarps, .warp_scratch_bytes = warp_scratch_bytes};
  if (warp_scratch_bytes > limits.shared_bytes) {
    plan.global_scratch_bytes = instances * warp_scratch_bytes;
    return plan;
  }
  while (plan.warps * warp_scratch_bytes > limits.shared_bytes) plan.warps /= 2;
  plan.shared_bytes = plan.warps * warp_scratch_bytes;
  return plan;
}

}  // namespace vrp
