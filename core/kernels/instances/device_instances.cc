#include "core/kernels/instances/device_instances.h"

#include "core/kernels/instances/instance_program.h"

namespace vrp {

void DrawInstancesOnCpu(const InstanceTask& task) {
  const SerialGroup group;
  double extremes[4];
  for (int32_t b = 0; b < task.instances; ++b) MakeInstance(group, task, b, extremes);
}

}  // namespace vrp
