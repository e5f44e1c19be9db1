// The simplest epilogues of a product (gemm.h). At(i, j) returns the epilogue whose element (0, 0)
// is this one's element (i, j), so that a block computes the addresses of its rows only once. vec.h
// states who may include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// An epilogue that stores C's vector at (i, j .. j + kLanes - 1).
template <typename T>
struct StoreTo {
  T* data;
  int64_t stride;
  inline __attribute__((always_inline)) StoreTo At(int64_t i, int64_t j) const {
    return {data + i * stride + j, stride};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(data + i * stride + j, value);
  }
};
// An epilogue that adds C's vector at (i, j .. j + kLanes - 1) to the elements there.
template <typename T>
struct AddTo {
  T* data;
  int64_t stride;
  inline __attribute__((always_inline)) AddTo At(int64_t i, int64_t j) const {
    return {data + i * stride + j, stride};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    T* const to = data + i * stride + j;
    Store<T>(to, Load<T>(to) + value);
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
