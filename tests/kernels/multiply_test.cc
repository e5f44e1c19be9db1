#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "core/base/isa.h"
#include "core/kernels/simd/multiply_probe.h"
#include "tests/kernels/random_values.h"

namespace vrp {
namespace {

using simd::ProductShape;

template <typename T>
std::vector<T> ConvertTo(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

class MultiplyTest : public testing::TestWithParam<std::tuple<Isa, int64_t, int64_t, int64_t>> {
 protected:
  Isa isa() const { return std::get<0>(GetParam()); }
  ProductShape shape() const {
    return {std::get<1>(GetParam()), std::get<2>(GetParam()), std::get<3>(GetParam())};
  }

  template <typename T>
  void ExpectEqualToPlainLoops(double tolerance) const {
    const ProductShape s = shape();
    const std::vector<double> a = RandomValues<double>(s.rows * s.inner, 1);
    const std::vector<double> b = RandomValues<double>(s.inner * s.columns, 2);
    std::vector<T> packed(b.size());
    std::vector<T> c(static_cast<size_t>(s.rows * s.columns), T{99});
    const auto multiply =
        isa() == Isa::kAvx512 ? simd::avx512::PackAndMultiply<T> : simd::avx2::PackAndMultiply<T>;
    multiply(ConvertTo<T>(a).data(), ConvertTo<T>(b).data(), s, packed.data(), c.data());
    std::vector<T> transposed(a.size());
    for (int64_t i = 0; i < s.rows; ++i) {
      for (int64_t k = 0; k < s.inner; ++k) {
        transposed[k * s.rows + i] = static_cast<T>(a[i * s.inner + k]);
      }
    }
    std::vector<T> sum(c.size(), T{1});
    const auto add = isa() == Isa::kAvx512 ? simd::avx512::AddTransposedProduct<T>
                                           : simd::avx2::AddTransposedProduct<T>;
    add(transposed.data(), ConvertTo<T>(b).data(), s, sum.data());
    for (int64_t i = 0; i < s.rows; ++i) {
      for (int64_t j = 0; j < s.columns; ++j) {
        double wanted = 0;
        for (int64_t k = 0; k < s.inner; ++k) wanted += a[i * s.inner + k] * b[k * s.columns + j];
        ASSERT_NEAR(c[i * s.columns + j], wanted, tolerance) << i << ", " << j;
        ASSERT_NEAR(sum[i * s.columns + j], wanted + 1, tolerance) << i << ", " << j;
      }
    }
  }
};

TEST_P(MultiplyTest, FloatProductsEqualPlainLoops) { ExpectEqualToPlainLoops<float>(2e-5); }

TEST_P(MultiplyTest, DoubleProductsEqualPlainLoops) { ExpectEqualToPlainLoops<double>(1e-12); }

INSTANTIATE_TEST_SUITE_P(Shapes, MultiplyTest,
                         testing::Combine(testing::ValuesIn(UsableIsas()),
                                          testing::Values(1, 5, 12, 51, 100),
                                          testing::Values(1, 16, 51, 128),
                                          testing::Values(16, 32, 48, 128)));

}  // namespace
}  // namespace vrp
