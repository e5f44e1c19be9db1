// Pairs of bf16 numbers, one in each lane of a float vector. Files that include this must be
// compiled with VRP_SIMD_BF16: 1 uses the processor's instructions, 0 emulates them with AVX-512F
// for tests on other CPUs. Both round to nearest even and sum in float. The instructions treat
// denormal numbers as 0. vec.h states who may include this.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

#if VRP_SIMD_BF16
// Returns pairs of neighbours: lane c has numbers 2c and 2c + 1 of `first` followed by `second`.
inline __attribute__((always_inline)) Vec<float> PairColumns(Vec<float> first, Vec<float> second) {
  return reinterpret_cast<Vec<float>>(_mm512_cvtne2ps_pbh(second, first));
}
// Returns pairs: lane c has the pair of `first`'s and `second`'s lane c.
inline __attribute__((always_inline)) Vec<float> PairRows(Vec<float> first, Vec<float> second) {
  typedef int16_t Half __attribute__((vector_size(64)));
  constexpr Half kFrom = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                          8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const auto both = reinterpret_cast<__m512i>(PairColumns(first, second));
  return reinterpret_cast<Vec<float>>(
      _mm512_permutexvar_epi16(reinterpret_cast<__m512i>(kFrom), both));
}
// Returns `sums` plus the products of a's and b's pairs.
inline __attribute__((always_inline)) Vec<float> AddPairs(Vec<float> sums, Vec<float> a,
                                                          Vec<float> b) {
  return _mm512_dpbf16_ps(sums, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
}
#else
// Returns lanes whose upper 16 bits are `value` rounded to bf16. The lower 16 bits are undefined.
// NaN stays NaN.
inline __attribute__((always_inline)) __m512i RoundedBits(Vec<float> value) {
  const __m512i bits = reinterpret_cast<__m512i>(value);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
  return _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x400000));
}
inline __attribute__((always_inline)) Vec<float> PairRows(Vec<float> first, Vec<float> second) {
  const __m512i low = _mm512_srli_epi32(RoundedBits(first), 16);
  const __m512i high = _mm512_and_si512(RoundedBits(second), _mm512_set1_epi32(-65536));
  return reinterpret_cast<Vec<float>>(_mm512_or_si512(low, high));
}
inline __attribute__((always_inline)) Vec<float> PairColumns(Vec<float> first, Vec<float> second) {
  const __m256i low = _mm512_cvtepi32_epi16(_mm512_srli_epi32(RoundedBits(first), 16));
  const __m256i high = _mm512_cvtepi32_epi16(_mm512_srli_epi32(RoundedBits(second), 16));
  return reinterpret_cast<Vec<float>>(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
}
inline __attribute__((always_inline)) Vec<float> AddPairs(Vec<float> sums, Vec<float> a,
                                                          Vec<float> b) {
  const __m512i upper = _mm512_set1_epi32(-65536);
  const auto first = [](Vec<float> pairs) __attribute__((always_inline)) {
    return reinterpret_cast<Vec<float>>(_mm512_slli_epi32(reinterpret_cast<__m512i>(pairs), 16));
  };
  const auto second = [upper](Vec<float> pairs) __attribute__((always_inline)) {
    return reinterpret_cast<Vec<float>>(_mm512_and_si512(reinterpret_cast<__m512i>(pairs), upper));
  };
  return sums + second(a) * second(b) + first(a) * first(b);
}
#endif

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
