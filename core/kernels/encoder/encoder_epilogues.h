// Epilogues of the encoder's products. At is that of ../simd/epilogue.h. vec.h states who may
// include this.
#pragma once

#include <cstdint>

#include "core/kernels/simd/panels.h"
#include "core/kernels/simd/vec.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// An epilogue that stores products.
template <typename T>
struct StorePlain {
  View<T> to;
  inline __attribute__((always_inline)) StorePlain At(int64_t i, int64_t j) const {
    return {to.Origin(i, j)};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to.At(i, j), value);
  }
};
// An epilogue that stores the sums of products and `other`.
template <typename T>
struct StoreSum {
  View<T> to;
  View<const T> other;
  inline __attribute__((always_inline)) StoreSum At(int64_t i, int64_t j) const {
    return {to.Origin(i, j), other.Origin(i, j)};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to.At(i, j), value + Load<T>(other.At(i, j)));
  }
};
// An epilogue that stores products plus a bias [columns].
template <typename T>
struct StoreWithBias {
  View<T> to;
  const T* bias;
  inline __attribute__((always_inline)) StoreWithBias At(int64_t i, int64_t j) const {
    return {to.Origin(i, j), bias + j};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to.At(i, j), value + Load<T>(bias + j));
  }
};
// An epilogue that stores products plus a bias [columns], after a ReLU.
template <typename T>
struct StorePositive {
  View<T> to;
  const T* bias;
  inline __attribute__((always_inline)) StorePositive At(int64_t i, int64_t j) const {
    return {to.Origin(i, j), bias + j};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to.At(i, j), Max<T>(value + Load<T>(bias + j), Vec<T>{}));
  }
};
// An epilogue that stores products plus a bias [columns] and a skip connection.
template <typename T>
struct StoreWithSkip {
  View<T> to;
  const T* bias;
  View<const T> skip;
  inline __attribute__((always_inline)) StoreWithSkip At(int64_t i, int64_t j) const {
    return {to.Origin(i, j), bias + j, skip.Origin(i, j)};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to.At(i, j), value + Load<T>(bias + j) + Load<T>(skip.At(i, j)));
  }
};
// An epilogue that stores the gradient through a ReLU whose output is `active`.
template <typename T>
struct StoreWhereActive {
  View<T> to;
  View<const T> active;
  inline __attribute__((always_inline)) StoreWhereActive At(int64_t i, int64_t j) const {
    return {to.Origin(i, j), active.Origin(i, j)};
  }
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to.At(i, j), Load<T>(active.At(i, j)) > Vec<T>{} ? value : Vec<T>{});
  }
};

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
