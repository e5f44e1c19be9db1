// Constructs of CUDA C++ that the tests' emulated device cannot define: dynamic shared memory and
// PTX instructions. The emulated device has its own version of this header (tests/gpu/emulated).
#pragma once

#include <cstdint>

namespace vrp {

// Returns the block's dynamic shared memory, aligned to 16.
__device__ inline uint8_t* SharedBytes() {
  extern __shared__ __align__(16) uint8_t shared[];
  return shared;
}

// Waits until `threads` threads of the block (whole warps) have reached barrier `number`, below 16.
// Unlike at __syncthreads, which uses barrier 0, the warps may wait at different places in the
// code: compute-sanitizer's synccheck accepts that of barrier.sync, not of bar.sync.
__device__ inline void WaitAtBarrier(int32_t number, int32_t threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
template <int32_t kThreads>
__device__ void WaitAtBarrier(int32_t number) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(kThreads) : "memory");
}

// Returns 2^x, and 1 / x, each with a relative error of about 2e-7. Subnormal results are 0.
__device__ inline float FastExp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}
__device__ inline float FastReciprocal(float x) {
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  return reciprocal;
}

// Rounds to TF32, which has 10 bits after the leading one. Returns the bits of a float.
__device__ inline uint32_t RoundToTf32(float value) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

// Rounds two numbers to fp16. From 2^-14 to 65504 it has the 10 bits of TF32; below, the error is
// at most 2^-25. Returns their bits, those of `low` in the lower half.
__device__ inline uint32_t PackHalves(float low, float high) {
  uint32_t bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
// Returns the number in the lower half of PackHalves' result, or in the upper half.
__device__ inline float UnpackHalf(uint32_t bits, bool upper) {
  float value;
  const auto half = static_cast<uint16_t>(upper ? bits >> 16 : bits);
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
}

// Begins to copy kBytes bytes (8 or 16) from device to shared memory, both aligned to kBytes.
template <int32_t kBytes>
__device__ void BeginCopy(const void* from, void* to) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(kBytes)
               : "memory");
}
// Waits for all copies that the thread has begun. Other threads need a barrier as well.
__device__ inline void EndCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Adds the product of TF32 matrices a [16, 8] and b [8, 8] to `sum` [16, 8], by all lanes of a
// warp. Lane l has g = l / 4, t = l % 4, and holds a(g, t), a(g + 8, t), a(g, t + 4), a(g + 8, t +
// 4); b(t, g), b(t + 4, g); and sum(g, 2t), sum(g, 2t + 1), sum(g + 8, 2t), sum(g + 8, 2t + 1).
__device__ inline void AddProductTf32(const uint32_t (&a)[4], const uint32_t (&b)[2],
                                      float (&sum)[4]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Adds the product of fp16 matrices a [16, 16] and b [16, 8] to `sum` [16, 8], by all lanes of a
// warp. Each word holds two numbers as PackHalves() does. Lane l has g = l / 4, c = 2 (l % 4), and
// holds a(g, c), a(g + 8, c), a(g, c + 8), a(g + 8, c + 8), each with the number to the right;
// b(c, g), b(c + 8, g), each with the number below; and `sum` as in AddProductTf32.
__device__ inline void AddProductFp16(const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                      float (&sum)[4]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The address in shared memory of a row of a matrix of 16-bit numbers, aligned to 16. It takes one
// register, from which loads at any offset begin.
struct MatrixRow {
  uint32_t address = 0;
};
__device__ inline MatrixRow MatrixRowAt(const uint16_t* row) {
  return {static_cast<uint32_t>(__cvta_generic_to_shared(row))};
}

// Loads four matrices [8, 8] of 16-bit numbers, by all lanes of a warp. Lane l passes row l % 8 of
// matrix l / 8, and all lanes the same offset of their numbers. Each gets the numbers (l / 4, c)
// and (l / 4, c + 1) of each matrix, where c = 2 (l % 4).
__device__ inline void LoadMatrices(MatrixRow row, int32_t offset, uint32_t (&matrices)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(row.address + 2 * offset)
               : "memory");
}
// Loads the transposes: lane l gets (c, l / 4) and (c + 1, l / 4).
__device__ inline void LoadTurnedMatrices(MatrixRow row, int32_t offset, uint32_t (&matrices)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(row.address + 2 * offset)
               : "memory");
}
// Returns the transpose of a matrix that is distributed as by LoadMatrices.
__device__ inline uint32_t TurnMatrix(uint32_t matrix) {
  uint32_t turned;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(matrix));
  return turned;
}

}  // namespace vrp
