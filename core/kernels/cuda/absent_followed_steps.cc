// For builds without CUDA.
#include "core/kernels/forced_decoding/forced_decoding.h"

namespace vrp {

absl::Status FollowOnCuda(const FollowRequest&, const FollowResult<float>&, void*) {
  return absl::UnimplementedError("given choices: this program was built without CUDA");
}

absl::Status AdvanceOnCuda(const AdvanceRequest&, const AdvanceResult<float>&, void*) {
  return absl::UnimplementedError("a network's choices: this program was built without CUDA");
}

}  // namespace vrp
