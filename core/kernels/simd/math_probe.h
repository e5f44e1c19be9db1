// Functions of vectors, applied to arrays for tests.
#pragma once

#include <cstdint>

namespace vrp::simd {

// A function that Apply can compute.
enum class Function { kExp, kExpOfTwo, kTanh, kSigmoid, kLog, kSumOfLanes, kMaxOfLanes };

namespace avx2 {
// Computes to[i] = f(from[i]) for i < count. kSumOfLanes and kMaxOfLanes write only to[0], over the
// first vector's elements (zeros beyond `count`).
template <typename T>
void Apply(Function function, const T* from, int64_t count, T* to);
}  // namespace avx2

namespace avx512 {
template <typename T>
void Apply(Function function, const T* from, int64_t count, T* to);
}  // namespace avx512

}  // namespace vrp::simd
