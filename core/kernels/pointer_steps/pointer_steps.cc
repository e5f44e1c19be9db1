#include "core/kernels/pointer_steps/pointer_steps.h"

#include "core/kernels/pointer_steps/pointer_steps_kernels.h"

namespace vrp {

template <typename T>
const PointerKernels<T>& PointerKernelsFor(Isa isa) {
  if (isa == Isa::kAvx2) {
    static const PointerKernels<T> avx2 = simd::avx2::MakePointerKernels<T>();
    return avx2;
  }
  static const PointerKernels<T> avx512 = simd::avx512::MakePointerKernels<T>();
  return avx512;
}
template const PointerKernels<float>& PointerKernelsFor<float>(Isa);
template const PointerKernels<double>& PointerKernelsFor<double>(Isa);

}  // namespace vrp
