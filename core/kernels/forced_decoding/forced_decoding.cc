#include "core/kernels/forced_decoding/forced_decoding.h"

#include <algorithm>

#include "absl/functional/function_ref.h"

namespace vrp {
namespace {

// Calls body(row) for all rows, in pieces of kRowsPerPiece. Several pieces run on the pool's
// threads unless `pool` is null.
void ForEachRow(int64_t rows, CpuPool* pool, absl::FunctionRef<void(int64_t)> body) {
  constexpr int64_t kRowsPerPiece = 64;
  const int64_t pieces = (rows + kRowsPerPiece - 1) / kRowsPerPiece;
  const auto piece = [&](int64_t k) {
    const int64_t end = std::min(rows, (k + 1) * kRowsPerPiece);
    for (int64_t row = k * kRowsPerPiece; row < end; ++row) body(row);
  };
  if (pool != nullptr && pieces > 1) {
    pool->ParallelFor(pieces, piece);
  } else {
    for (int64_t k = 0; k < pieces; ++k) piece(k);
  }
}

}  // namespace

template <typename T>
void ForceDecodeOnCpu(const ForcedDecodingRequest& request, const ForcedDecodingResult<T>& result,
                      CpuPool* pool) {
  ForEachRow(request.rows(), pool,
             [&](int64_t row) { ForceDecode(SerialGroup(), request, row, result); });
}
template void ForceDecodeOnCpu(const ForcedDecodingRequest&, const ForcedDecodingResult<float>&,
                               CpuPool*);
template void ForceDecodeOnCpu(const ForcedDecodingRequest&, const ForcedDecodingResult<double>&,
                               CpuPool*);

template <typename T>
void AdvanceOnCpu(const AdvanceRequest& request, const AdvanceResult<T>& result, CpuPool* pool) {
  ForEachRow(request.rows(), pool,
             [&](int64_t row) { Advance(SerialGroup(), request, row, result); });
}
template void AdvanceOnCpu(const AdvanceRequest&, const AdvanceResult<float>&, CpuPool*);
template void AdvanceOnCpu(const AdvanceRequest&, const AdvanceResult<double>&, CpuPool*);

}  // namespace vrp
