// The loader of a build without LibTorch.
#include "core/model/policy.h"

namespace vrp {

absl::StatusOr<std::unique_ptr<Policy>> LoadPolicy(const std::string&, DeviceId) {
  return absl::UnimplementedError(
      "this program was built without LibTorch and cannot load networks; use the search alone");
}

}  // namespace vrp
