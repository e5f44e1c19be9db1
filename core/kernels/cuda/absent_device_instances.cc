// For builds without CUDA.
#include "core/kernels/instances/device_instances.h"

namespace vrp {

absl::Status DrawInstancesOnCuda(const InstanceTask&, void*) {
  return absl::UnimplementedError("instances: this program was built without CUDA");
}

}  // namespace vrp
