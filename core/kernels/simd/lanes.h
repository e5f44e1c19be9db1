// Loads and stores of a row's first lanes, and integers as wide as the vectors' elements. vec.h
// states who may include this.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// An integer as wide as T, for the results of comparing vectors of T (-1 for true), and for their
// bits.
template <typename T>
struct IntegerOf;
template <>
struct IntegerOf<float> {
  using type = int32_t;
};
template <>
struct IntegerOf<double> {
  using type = int64_t;
};
template <typename T>
using IntVec = Vec<typename IntegerOf<T>::type>;

// Returns -1 in the lanes below `count`, and 0 in the others.
template <typename T>
inline __attribute__((always_inline)) IntVec<T> FirstLanes(int64_t count) {
  using I = typename IntegerOf<T>::type;
  IntVec<T> lanes;
  for (int64_t i = 0; i < kLanes<T>; ++i) lanes[i] = static_cast<I>(i);
  return lanes < static_cast<I>(count);
}

// Accesses the first `count` >= 0 elements, at most a whole vector. Loads return 0 in other lanes.
// Does not touch memory beyond.
template <typename T>
inline __attribute__((always_inline)) Vec<T> LoadFirst(const T* from, int64_t count) {
  const IntVec<T> mask = FirstLanes<T>(count);
#if VRP_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) {
    return _mm512_maskz_loadu_ps(_mm512_movepi32_mask((__m512i)mask), from);
  } else {
    return _mm512_maskz_loadu_pd(_mm512_movepi64_mask((__m512i)mask), from);
  }
#else
  if constexpr (sizeof(T) == 4) {
    return _mm256_maskload_ps(from, (__m256i)mask);
  } else {
    return _mm256_maskload_pd(from, (__m256i)mask);
  }
#endif
}
template <typename T>
inline __attribute__((always_inline)) void StoreFirst(T* to, int64_t count, Vec<T> value) {
  const IntVec<T> mask = FirstLanes<T>(count);
#if VRP_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) {
    _mm512_mask_storeu_ps(to, _mm512_movepi32_mask((__m512i)mask), value);
  } else {
    _mm512_mask_storeu_pd(to, _mm512_movepi64_mask((__m512i)mask), value);
  }
#else
  if constexpr (sizeof(T) == 4) {
    _mm256_maskstore_ps(to, (__m256i)mask, value);
  } else {
    _mm256_maskstore_pd(to, (__m256i)mask, value);
  }
#endif
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
