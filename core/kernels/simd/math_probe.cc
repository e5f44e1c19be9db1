// Functions of vectors, applied to arrays for tests.
#include "core/kernels/simd/math_probe.h"

#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

template <typename T, typename F>
void ForEach(const T* from, int64_t count, T* to, const F& function) {
  for (int64_t i = 0; i < count; i += kLanes<T>) {
    StoreFirst<T>(to + i, count - i, function(LoadFirst<T>(from + i, count - i)));
  }
}

template <typename T>
void Apply(Function function, const T* from, int64_t count, T* to) {
  switch (function) {
    case Function::kExp:
      return ForEach<T>(from, count, to, [](Vec<T> x) { return Exp<T>(x); });
    case Function::kExpOfTwo:
      return ForEach<T>(from, count, to, [](Vec<T> x) { return ExpOfTwo<T>(x); });
    case Function::kTanh:
      return ForEach<T>(from, count, to, [](Vec<T> x) { return Tanh<T>(x); });
    case Function::kSigmoid:
      return ForEach<T>(from, count, to, [](Vec<T> x) { return Sigmoid<T>(x); });
    case Function::kLog:
      return ForEach<T>(from, count, to, [](Vec<T> x) { return Log<T>(x); });
    case Function::kSumOfLanes:
      to[0] = Sum<T>(LoadFirst<T>(from, count));
      return;
    case Function::kMaxOfLanes:
      to[0] = MaxOf<T>(LoadFirst<T>(from, count));
      return;
  }
}
template void Apply<float>(Function, const float*, int64_t, float*);
template void Apply<double>(Function, const double*, int64_t, double*);

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
