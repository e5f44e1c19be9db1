#include "core/kernels/dense/dense_kernels.h"

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"
#include "core/kernels/simd/pack_b.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

template <typename T>
void Pack(const T* data, int64_t row, int64_t column, DenseShape shape, T* packed) {
  PackB<T>({data, row, column}, shape.inner, shape.columns, packed);
}

template <typename T>
struct StoreWithBias {
  Rows<T> to;
  const T* bias;
  inline __attribute__((always_inline)) void operator()(int64_t i, int64_t j, Vec<T> value) const {
    Store<T>(to.data + i * to.stride + j, value + Load<T>(bias + j));
  }
};

template <typename T>
void MultiplyPacked(Rows<const T> a, const T* packed, const T* bias, DenseShape shape, Rows<T> c) {
  const MatrixA<T> left{a.data, a.stride, 1};
  const MatrixB<T> right{packed, 0, true};
  if (bias == nullptr) {
    Multiply<T>(left, right, shape.rows, shape.inner, shape.columns, StoreTo<T>{c.data, c.stride});
  } else {
    Multiply<T>(left, right, shape.rows, shape.inner, shape.columns, StoreWithBias<T>{c, bias});
  }
}

template <typename T>
void MultiplyAdd(Rows<const T> a, const T* packed, DenseShape shape, Rows<T> c) {
  Multiply<T>({a.data, a.stride, 1}, {packed, 0, true}, shape.rows, shape.inner, shape.columns,
              AddTo<T>{c.data, c.stride});
}

template <typename T>
void AddTransposed(Rows<const T> a, Rows<const T> b, DenseShape shape, Rows<T> c) {
  Multiply<T>({a.data, 1, a.stride}, {b.data, b.stride, false}, shape.rows, shape.inner,
              shape.columns, AddTo<T>{c.data, c.stride});
}

// Writes the features: d, its transpose, and exp(-10 d) of both.
template <typename T>
void EdgeFeatures(const T* distances, int64_t nodes, T* features) {
  const int64_t size = nodes * nodes;
  T* const back = features + size;
  T* const near = features + 2 * size;
  T* const near_back = features + 3 * size;
  for (int64_t i = 0; i < size; i += kLanes<T>) {
    const Vec<T> d = LoadFirst<T>(distances + i, size - i);
    StoreFirst<T>(features + i, size - i, d);
    StoreFirst<T>(near + i, size - i, Exp<T>(d * T{-10}));
  }
  for (int64_t i = 0; i < nodes; ++i) {
    for (int64_t j = 0; j < nodes; ++j) {
      back[i * nodes + j] = features[j * nodes + i];
      near_back[i * nodes + j] = near[j * nodes + i];
    }
  }
}

template <typename T>
DenseKernels<T> MakeDenseKernels() {
  return {Pack<T>, MultiplyPacked<T>, MultiplyAdd<T>, AddTransposed<T>, EdgeFeatures<T>};
}
template DenseKernels<float> MakeDenseKernels<float>();
template DenseKernels<double> MakeDenseKernels<double>();

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
