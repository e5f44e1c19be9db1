// The interface between core/kernels/encoder/encoder.cc and each instruction set. It has only plain
// arrays and numbers, so that no inline function of the standard library is compiled with
// instructions that a CPU may lack.
#pragma once

#include <cstdint>

#include "core/kernels/encoder/encoder.h"

namespace vrp::simd {

// The inputs of a pass over a group of instances.
template <typename T>
struct EncoderCall {
  EncoderShape shape;
  const EncoderLayerOffsets* layers;  // [shape.layers]
  const T* packed;                    // as written by `pack`
  const int32_t* first_rows;          // [instances + 1]
  int64_t instances;
  const T* const* edges;  // [instances] of [E, N, N]; unused without edge features
  EncoderCycles* cycles;  // null: not counted
};

// Functions of one instruction set. Sizes are in elements. `packed` must be 64-byte aligned, unlike
// other memory.
template <typename T>
struct EncoderFunctions {
  int64_t (*packed_size)(const EncoderShape& shape);
  void (*pack)(const EncoderShape& shape, const EncoderLayerOffsets* layers, const T* parameters,
               T* packed);
  int64_t (*saved_size)(const EncoderShape& shape, const int32_t* first_rows, int64_t instances);
  int64_t (*scratch_size)(const EncoderShape& shape, const int32_t* first_rows, int64_t instances);
  void (*forward)(const EncoderCall<T>& call, T* x, T* saved, T* scratch);
  void (*backward)(const EncoderCall<T>& call, T* dx, T* saved, T* scratch, T* gradient);
};

namespace avx2 {
template <typename T>
EncoderFunctions<T> GetEncoderFunctions();
template <typename T>
EncoderFunctions<T> GetCausalEncoderFunctions();
}  // namespace avx2

namespace avx512 {
template <typename T>
EncoderFunctions<T> GetEncoderFunctions();
template <typename T>
EncoderFunctions<T> GetCausalEncoderFunctions();
}  // namespace avx512

// Functions of float only with products in bf16, by the processor's instructions or emulated
// (bf16.h).
namespace avx512_bf16 {
template <typename T>
EncoderFunctions<T> GetEncoderFunctions();
template <typename T>
EncoderFunctions<T> GetCausalEncoderFunctions();
}  // namespace avx512_bf16

namespace avx512_bf16_emulated {
template <typename T>
EncoderFunctions<T> GetEncoderFunctions();
template <typename T>
EncoderFunctions<T> GetCausalEncoderFunctions();
}  // namespace avx512_bf16_emulated

namespace amx_bf16 {
template <typename T>
EncoderFunctions<T> GetEncoderFunctions();
template <typename T>
EncoderFunctions<T> GetCausalEncoderFunctions();
}  // namespace amx_bf16

namespace amx_bf16_emulated {
template <typename T>
EncoderFunctions<T> GetEncoderFunctions();
template <typename T>
EncoderFunctions<T> GetCausalEncoderFunctions();
}  // namespace amx_bf16_emulated

}  // namespace vrp::simd
