#include "core/kernels/followed_steps.h"

#include <algorithm>

namespace vrp {

template <typename T>
void FollowOnCpu(const FollowRequest& request, const FollowResult<T>& result, CpuPool* pool) {
  constexpr int64_t kRowsAtOnce = 64;
  const int64_t pieces = (request.rows() + kRowsAtOnce - 1) / kRowsAtOnce;
  const auto piece = [&](int64_t k) {
    const int64_t end = std::min(request.rows(), (k + 1) * kRowsAtOnce);
    for (int64_t row = k * kRowsAtOnce; row < end; ++row) {
      Follow(SerialGroup(), request, row, result);
    }
  };
  if (pool != nullptr && pieces > 1) {
    pool->ParallelFor(pieces, piece);
  } else {
    for (int64_t k = 0; k < pieces; ++k) piece(k);
  }
}
template void FollowOnCpu(const FollowRequest&, const FollowResult<float>&, CpuPool*);
template void FollowOnCpu(const FollowRequest&, const FollowResult<double>&, CpuPool*);

template <typename T>
void AdvanceOnCpu(const AdvanceRequest& request, const AdvanceResult<T>& result) {
  for (int64_t row = 0; row < request.rows(); ++row) {
    Advance(SerialGroup(), request, row, result);
  }
}
template void AdvanceOnCpu(const AdvanceRequest&, const AdvanceResult<float>&);
template void AdvanceOnCpu(const AdvanceRequest&, const AdvanceResult<double>&);

}  // namespace vrp
