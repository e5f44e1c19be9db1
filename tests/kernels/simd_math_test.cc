#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/isa.h"
#include "core/kernels/simd/math_probe.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using simd::Function;

template <typename T>
std::vector<T> Apply(Isa isa, Function function, const std::vector<T>& from) {
  std::vector<T> to(from.size() + 1, T{-7});  // one more element, which must not change
  if (isa == Isa::kAvx2) {
    simd::avx2::Apply<T>(function, from.data(), static_cast<int64_t>(from.size()), to.data());
  } else {
    simd::avx512::Apply<T>(function, from.data(), static_cast<int64_t>(from.size()), to.data());
  }
  EXPECT_EQ(to.back(), T{-7});
  to.pop_back();
  return to;
}

template <typename T>
std::vector<T> Points(double first, double last) {
  std::vector<T> points;
  for (int i = 0; i <= 40000; ++i)
    points.push_back(static_cast<T>(first + (last - first) * i / 40000));
  for (double x = 1e-12; x < last; x *= 1.37) points.push_back(static_cast<T>(x));
  return points;
}

// Returns the largest relative error compared with the long double function.
template <typename T, typename F>
double MaxRelativeError(Isa isa, Function function, const std::vector<T>& points, F reference) {
  const std::vector<T> got = Apply<T>(isa, function, points);
  double worst = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const long double wanted = reference(static_cast<long double>(points[i]));
    const long double scale =
        std::max<long double>(std::abs(wanted), std::numeric_limits<T>::min());
    worst = std::max(worst, static_cast<double>(std::abs(got[i] - wanted) / scale));
  }
  return worst;
}

template <typename T>
class SimdMathTest : public testing::Test {
 protected:
  static constexpr double kTolerance = 2.5 * std::numeric_limits<T>::epsilon();
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();
};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(SimdMathTest, Formats);

TYPED_TEST(SimdMathTest, ExpTanhSigmoidAndLogAreAccurate) {
  using T = TypeParam;
  const double end = sizeof(T) == 4 ? 87.0 : 708.0;
  for (const Isa isa : UsableIsas()) {
    EXPECT_LT(MaxRelativeError<T>(isa, Function::kExp, Points<T>(-end, end),
                                  [](auto x) { return expl(x); }),
              this->kTolerance);
    EXPECT_LT(MaxRelativeError<T>(isa, Function::kTanh, Points<T>(-25, 25),
                                  [](auto x) { return tanhl(x); }),
              this->kTolerance);
    EXPECT_LT(MaxRelativeError<T>(isa, Function::kSigmoid, Points<T>(-end, end),
                                  [](auto x) { return 1 / (1 + expl(-x)); }),
              this->kTolerance);
    EXPECT_LT(MaxRelativeError<T>(isa, Function::kLog, Points<T>(1e-30, 3),
                                  [](auto x) { return logl(x); }),
              this->kTolerance);
    EXPECT_LT(MaxRelativeError<T>(isa, Function::kLog, Points<T>(1e-30, 1e30),
                                  [](auto x) { return logl(x); }),
              this->kTolerance);
  }
}

// Tolerates larger errors for large arguments. Some instruction sets multiply the argument first,
// which rounds it.
TYPED_TEST(SimdMathTest, PowersOfTwoAreAccurateUpToTheArgumentsRounding) {
  using T = TypeParam;
  for (const Isa isa : UsableIsas()) {
    EXPECT_LT(MaxRelativeError<T>(isa, Function::kExpOfTwo, Points<T>(-1, 1),
                                  [](auto x) { return exp2l(x); }),
              this->kTolerance);
    EXPECT_LT(MaxRelativeError<T>(isa, Function::kExpOfTwo, Points<T>(-100, 0),
                                  [](auto x) { return exp2l(x); }),
              60 * this->kTolerance);
    const std::vector<T> powers =
        Apply<T>(isa, Function::kExpOfTwo, {0, std::numeric_limits<T>::quiet_NaN()});
    EXPECT_EQ(powers[0], 1);
    EXPECT_TRUE(std::isnan(powers[1]));
  }
}

TYPED_TEST(SimdMathTest, InfiniteAndNanArgumentsGiveDefinedResults) {
  using T = TypeParam;
  const T infinity = this->kInfinity;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const Isa isa : UsableIsas()) {
    const std::vector<T> exps = Apply<T>(isa, Function::kExp, {-infinity, -1000, infinity, nan, 0});
    EXPECT_EQ(exps[0], 0);
    EXPECT_EQ(exps[1], 0);
    EXPECT_GT(exps[2], std::numeric_limits<T>::max() / 4);
    EXPECT_TRUE(std::isnan(exps[3]));
    EXPECT_EQ(exps[4], 1);
    const std::vector<T> tanhs = Apply<T>(isa, Function::kTanh, {-infinity, infinity, nan, 0});
    EXPECT_EQ(tanhs[0], -1);
    EXPECT_EQ(tanhs[1], 1);
    EXPECT_TRUE(std::isnan(tanhs[2]));
    EXPECT_EQ(tanhs[3], 0);
    const std::vector<T> logs = Apply<T>(isa, Function::kLog, {0, -1, infinity, nan, 1});
    EXPECT_EQ(logs[0], -infinity);
    EXPECT_TRUE(std::isnan(logs[1]));
    EXPECT_EQ(logs[2], infinity);
    EXPECT_TRUE(std::isnan(logs[3]));
    EXPECT_EQ(logs[4], 0);
  }
}

TYPED_TEST(SimdMathTest, SumsAndMaximaUseEveryLane) {
  using T = TypeParam;
  for (const Isa isa : UsableIsas()) {
    const int64_t lanes = (isa == Isa::kAvx2 ? 32 : 64) / static_cast<int64_t>(sizeof(T));
    for (int64_t count = 1; count <= lanes; ++count) {
      std::vector<T> values;
      for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(1 << i));
      EXPECT_EQ(Apply<T>(isa, Function::kSumOfLanes, values)[0], (1 << count) - 1);
      EXPECT_EQ(Apply<T>(isa, Function::kMaxOfLanes, values)[0], 1 << (count - 1));
      std::reverse(values.begin(), values.end());
      EXPECT_EQ(Apply<T>(isa, Function::kMaxOfLanes, values)[0], 1 << (count - 1));
    }
  }
}

}  // namespace
}  // namespace vrp
