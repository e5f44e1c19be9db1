// The engines of a build without LibTorch, all of which are unimplemented.
#include "core/model/torch/engines.h"

namespace vrp {

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchEngine(const Architecture&,
                                                              const NetworkSizes&,
                                                              const TorchEngineRequest&) {
  return absl::UnimplementedError(
      "device: this program was built without LibTorch and computes on the CPU only: "
      "see ./dev build cuda");
}

}  // namespace vrp
