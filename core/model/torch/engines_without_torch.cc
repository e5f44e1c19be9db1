// The engines of a build without LibTorch, all of which are unimplemented.
#include "core/model/torch/engines.h"

namespace vrp {
namespace {

absl::Status NoTorch() {
  return absl::UnimplementedError(
      "device: this program was built without LibTorch and computes on the CPU only");
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchGraphTransformerEngine(
    const GraphTransformerOptions&, const TorchEngineRequest&) {
  return NoTorch();
}

absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeTorchPointerEngine(const PointerNetworkOptions&,
                                                                     const TorchEngineRequest&) {
  return NoTorch();
}

}  // namespace vrp
