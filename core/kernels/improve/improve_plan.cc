#include "core/kernels/improve/improve_plan.h"

namespace vrp {

ImprovePlan PlanImprove(int32_t instances, int64_t room_bytes, const DeviceLimits& limits) {
  ImprovePlan plan = {.warps = kMostImproveWarps, .room_bytes = room_bytes};
  if (room_bytes > limits.shared_bytes) {
    plan.scratch_bytes = instances * room_bytes;
    return plan;
  }
  while (plan.warps * room_bytes > limits.shared_bytes) plan.warps /= 2;
  plan.shared_bytes = plan.warps * room_bytes;
  return plan;
}

}  // namespace vrp
