#include "core/train/learners/paired_t_test.h"

#include <cmath>
#include <cstddef>

namespace vrp {
namespace {

// Returns the continued fraction of the incomplete beta function (Lentz; DLMF 8.17.22) for
// x < (a+1)/(a+b+2).
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMaxTerms = 1000;
  const auto guard = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / guard(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guard(1 + even * d);
    c = guard(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guard(1 + odd * d);
    c = guard(1 + odd / c);
    result *= c * d;
    if (std::abs(c * d - 1) < 1e-14) break;
  }
  return result;
}

// Returns the regularised incomplete beta function I_x(a, b).
double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

}  // namespace

double StudentTCdf(double t, double degrees_of_freedom) {
  const double x = degrees_of_freedom / (degrees_of_freedom + t * t);
  const double tail = IncompleteBeta(degrees_of_freedom / 2, 0.5, x) / 2;
  return t < 0 ? tail : 1 - tail;
}

double PairedTTest(std::span<const double> costs, std::span<const double> baseline) {
  const auto count = static_cast<double>(costs.size());
  if (costs.size() < 2) return 1;
  double mean = 0;
  for (size_t i = 0; i < costs.size(); ++i) mean += (costs[i] - baseline[i]) / count;
  if (!(mean < 0)) return 1;
  double squares = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    const double difference = costs[i] - baseline[i] - mean;
    squares += difference * difference;
  }
  const double standard_error = std::sqrt(squares / (count - 1) / count);
  return standard_error > 0 ? StudentTCdf(mean / standard_error, count - 1) : 0;
}

}  // namespace vrp
