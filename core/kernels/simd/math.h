// exp, 2^x, tanh, sigmoid and log of vectors, with a relative error of about 1e-7 in float and
// 1e-15 in double. NaN gives NaN. vec.h states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/lanes.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Constants of a floating-point format. exp reduces to 2^n * e^r with |r| <= ln(2) / 2. n ln(2) is
// split in two parts so that r loses no bits. log reduces to m * 2^n with sqrt(1/2) <= m < sqrt(2).
template <typename T>
struct Format;
template <>
struct Format<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr int32_t kOne = 0x3f800000;
  static constexpr int32_t kRootHalf = 0x3f3504f3;
  static constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr int32_t kRoundBits = 0x4b400000;
  static constexpr float kLn2High = 0.693359375f;
  static constexpr float kLn2Low = -2.12194440e-4f;
  static constexpr float kLowest = -87.3f;
  static constexpr float kHighest = 88.3f;
  static constexpr float kTanhEnd = 10.0f;
  static constexpr float kSmallest = 1.17549435e-38f;
  // Coefficients of the polynomial in e^r = 1 + r + r^2 * polynomial (Moshier, Cephes expf),
  // highest power first.
  static constexpr float kExp[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                   4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
  // Coefficients of the polynomial in log((1 + s) / (1 - s)) - 2s = s * s^2 * polynomial of s^2
  // (Sun, fdlibm), highest power first.
  static constexpr float kLog[] = {0.24279078841f, 0.28498786688f, 0.40000972152f, 0.66666662693f};
};
template <>
struct Format<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr int64_t kOne = 0x3ff0000000000000;
  static constexpr int64_t kRootHalf = 0x3fe6a09e667f3bcd;
  static constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int64_t kRoundBits = 0x4338000000000000;
  static constexpr double kLn2High = 6.93147180369123816490e-01;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  static constexpr double kLowest = -708.3;
  static constexpr double kHighest = 709.4;
  static constexpr double kTanhEnd = 20.0;
  static constexpr double kSmallest = 2.2250738585072014e-308;
  static constexpr double kExp[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
      1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
  static constexpr double kLog[] = {1.479819860511658591e-01, 1.531383769920937332e-01,
                                    1.818357216161805012e-01, 2.222219843214978396e-01,
                                    2.857142874366239149e-01, 3.999999999940941908e-01,
                                    6.666666666666735130e-01};
};

template <typename T, int kTerms>
inline __attribute__((always_inline)) Vec<T> Polynomial(const T (&terms)[kTerms], Vec<T> x) {
  Vec<T> value = Broadcast<T>(terms[0]);
#pragma GCC unroll 16
  for (int i = 1; i < kTerms; ++i) value = value * x + terms[i];
  return value;
}

// The parts of e^x, where x = n ln(2) + r: `power` is 2^n, `rest` is e^r - 1. x must lie within
// kLowest .. kHighest.
template <typename T>
struct ExpParts {
  Vec<T> power;
  Vec<T> rest;
};
template <typename T>
inline __attribute__((always_inline)) ExpParts<T> SplitExp(Vec<T> x) {
  using F = Format<T>;
  const Vec<T> shifted = x * static_cast<T>(1.44269504088896340736) + F::kRound;
  const Vec<T> n = shifted - F::kRound;
  const Vec<T> r = (x - n * F::kLn2High) - n * F::kLn2Low;
  const Vec<T> rest = Polynomial<T>(F::kExp, r) * (r * r) + r;
  const IntVec<T> exponent = reinterpret_cast<IntVec<T>>(shifted) - F::kRoundBits;
  return {reinterpret_cast<Vec<T>>((exponent << F::kMantissaBits) + F::kOne), rest};
}

// Returns e^x, but 0 below about the smallest normal number (so for -inf), and at most about two
// thirds of the largest number.
template <typename T>
inline __attribute__((always_inline)) Vec<T> Exp(Vec<T> x) {
  using F = Format<T>;
  const Vec<T> high = Broadcast<T>(F::kHighest);
  const Vec<T> low = Broadcast<T>(F::kLowest);
  const Vec<T> capped = x > high ? high : x;
  const ExpParts<T> parts = SplitExp<T>(capped < low ? low : capped);
  const Vec<T> value = parts.rest * parts.power + parts.power;
  return capped < low ? Vec<T>{} : value;
}

// Returns 2^x for -125 <= x <= 127, with a relative error of about 1e-7. For float with AVX-512,
// takes half the time of Exp.
template <typename T>
inline __attribute__((always_inline)) Vec<T> ExpOfTwo(Vec<T> x) {
#if VRP_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) {
    // Coefficients of the minimax polynomial of 2^r for |r| <= 1/2 (Remez) that is 1 at r = 0,
    // highest power first.
    constexpr float kTerms[] = {1.559467782e-4f,
                                1.340664341e-3f,
                                9.617692791e-3f,
                                5.550310388e-2f,
                                2.402265221e-1f,
                                6.931472421e-1f,
                                1.0f};
    const Vec<T> rest = _mm512_reduce_ps(x, 0);
    return _mm512_scalef_ps(Polynomial<T>(kTerms, rest), x - rest);
  }
#endif
  return Exp<T>(x * static_cast<T>(0.69314718055994530942));
}

// Returns tanh(x), computed from e^2x - 1, which loses no digits near 0.
template <typename T>
inline __attribute__((always_inline)) Vec<T> Tanh(Vec<T> x) {
  const Vec<T> end = Broadcast<T>(Format<T>::kTanhEnd);
  const Vec<T> capped = x > end ? end : (x < -end ? -end : x);
  const ExpParts<T> parts = SplitExp<T>(capped + capped);
  const Vec<T> less_one = parts.rest * parts.power + (parts.power - static_cast<T>(1));
  return less_one / (less_one + static_cast<T>(2));
}

template <typename T>
inline __attribute__((always_inline)) Vec<T> Sigmoid(Vec<T> x) {
  return static_cast<T>(1) / (Exp<T>(-x) + static_cast<T>(1));
}

// Returns the natural logarithm: -inf for 0, NaN below. Denormal numbers count as the smallest
// normal number.
template <typename T>
inline __attribute__((always_inline)) Vec<T> Log(Vec<T> x) {
  using F = Format<T>;
  const Vec<T> smallest = Broadcast<T>(F::kSmallest);
  const IntVec<T> bits = reinterpret_cast<IntVec<T>>(x < smallest ? smallest : x);
  const IntVec<T> exponent = (bits - F::kRootHalf) >> F::kMantissaBits;
  const Vec<T> m = reinterpret_cast<Vec<T>>(bits - (exponent << F::kMantissaBits));
  const Vec<T> n = reinterpret_cast<Vec<T>>(exponent + F::kRoundBits) - F::kRound;
  const Vec<T> f = m - static_cast<T>(1);
  const Vec<T> s = f / (f + static_cast<T>(2));
  const Vec<T> z = s * s;
  const Vec<T> half_square = f * f * static_cast<T>(0.5);
  const Vec<T> small = s * (half_square + z * Polynomial<T>(F::kLog, z)) + n * F::kLn2Low;
  const Vec<T> value = n * F::kLn2High - ((half_square - small) - f);
  const Vec<T> infinity = Broadcast<T>(static_cast<T>(__builtin_inf()));
  const Vec<T> of_zero = x < Vec<T>{} ? Broadcast<T>(static_cast<T>(__builtin_nan(""))) : -infinity;
  const Vec<T> known = x > Vec<T>{} ? value : of_zero;
  return x == infinity || x != x ? x : known;
}

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
