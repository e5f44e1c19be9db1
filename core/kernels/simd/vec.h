// Vectors of the instruction set that the including file is compiled for. Only the sources listed
// in vrp_add_simd_sources and vrp_add_isa_sources (core/kernels/CMakeLists.txt) and headers for
// them may include this. The sources are compiled once for each instruction set, with
// VRP_SIMD_NAMESPACE (such as avx2 or amx_bf16) and VRP_SIMD_BYTES (32 or 64) set.
//
// Each instruction set has its own namespace. The sources must not use inline functions of the
// standard library. The linker keeps only one copy of an inline function, possibly one that an
// older CPU cannot run.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <type_traits>

namespace vrp::simd::VRP_SIMD_NAMESPACE {

template <typename T>
struct VecType {
  typedef T type __attribute__((vector_size(VRP_SIMD_BYTES)));
  typedef T unaligned __attribute__((vector_size(VRP_SIMD_BYTES), aligned(alignof(T)), may_alias));
};
template <typename T>
using Vec = typename VecType<T>::type;

// Number of elements of a vector: 16 float or 8 double with AVX-512.
template <typename T>
inline constexpr int64_t kLanes = VRP_SIMD_BYTES / static_cast<int64_t>(sizeof(T));

template <typename T>
inline __attribute__((always_inline)) Vec<T> Load(const T* from) {
  return *reinterpret_cast<const typename VecType<T>::unaligned*>(from);
}
template <typename T>
inline __attribute__((always_inline)) void Store(T* to, Vec<T> value) {
  *reinterpret_cast<typename VecType<T>::unaligned*>(to) = value;
}
template <typename T>
inline __attribute__((always_inline)) Vec<T> Broadcast(T value) {
  return value - Vec<T>{};
}
// Returns the maximum, or b if either is NaN. Uses the intrinsic, because GCC 12 compiles `a > b ?
// a : b` to a comparison and a selection.
#if VRP_SIMD_BYTES == 64
inline __attribute__((always_inline)) __m512 MaxOfBoth(__m512 a, __m512 b) {
  return _mm512_max_ps(a, b);
}
inline __attribute__((always_inline)) __m512d MaxOfBoth(__m512d a, __m512d b) {
  return _mm512_max_pd(a, b);
}
#else
inline __attribute__((always_inline)) __m256 MaxOfBoth(__m256 a, __m256 b) {
  return _mm256_max_ps(a, b);
}
inline __attribute__((always_inline)) __m256d MaxOfBoth(__m256d a, __m256d b) {
  return _mm256_max_pd(a, b);
}
#endif
template <typename T>
inline __attribute__((always_inline)) Vec<T> Max(Vec<T> a, Vec<T> b) {
  return MaxOfBoth(a, b);
}

// The halves of a vector. Sum and MaxOf reduce a vector's lanes by halves, in a fixed order.
template <typename T, int kBytes>
struct Halves {
  typedef T whole __attribute__((vector_size(kBytes)));
  typedef T half __attribute__((vector_size(kBytes / 2)));
  static inline __attribute__((always_inline)) half Lower(whole value) {
    return *reinterpret_cast<const half*>(&value);
  }
  static inline __attribute__((always_inline)) half Upper(whole value) {
    return *(reinterpret_cast<const half*>(&value) + 1);
  }
};
template <typename T, int kBytes = VRP_SIMD_BYTES>
inline __attribute__((always_inline)) T Sum(typename Halves<T, kBytes>::whole value) {
  using H = Halves<T, kBytes>;
  if constexpr (kBytes == 2 * sizeof(T)) {
    return value[0] + value[1];
  } else {
    return Sum<T, kBytes / 2>(H::Lower(value) + H::Upper(value));
  }
}
template <typename T, int kBytes = VRP_SIMD_BYTES>
inline __attribute__((always_inline)) T MaxOf(typename Halves<T, kBytes>::whole value) {
  using H = Halves<T, kBytes>;
  if constexpr (kBytes == 2 * sizeof(T)) {
    return value[0] > value[1] ? value[0] : value[1];
  } else {
    const typename H::half low = H::Lower(value);
    const typename H::half high = H::Upper(value);
    return MaxOf<T, kBytes / 2>(low > high ? low : high);
  }
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
