// Choice probabilities from a step's logits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace vrp {

// A row of logits and its sums, in double.
struct PointerScores {
  std::span<const float> logits;
  double highest = 0;
  double log_sum = 0;  // logarithm of the sum of exp(logit - highest)
  int32_t likeliest = 0;

  // Computes the sums. If `highest` is finite, `likeliest` is an allowed node. Otherwise (a
  // diverged network), `likeliest` may be forbidden, and callers need NthAllowed.
  PointerScores(std::span<const float> row, const float* mask) : logits(row) {
    highest = -std::numeric_limits<double>::infinity();
    for (size_t n = 0; n < row.size(); ++n) {
      if (mask[n] != 0 || row[n] <= highest) continue;
      highest = row[n];
      likeliest = static_cast<int32_t>(n);
    }
    log_sum = std::log(Sum(1));
  }
  double Sum(double temperature) const {
    double sum = 0;
    for (const float logit : logits) sum += std::exp((logit - highest) / temperature);
    return sum;
  }
  double LogProbability(int32_t node) const { return logits[node] - highest - log_sum; }
  int32_t Draw(double temperature, double uniform) const {
    double left = uniform * Sum(temperature);
    for (size_t n = 0; n < logits.size(); ++n) {
      const double share = std::exp((logits[n] - highest) / temperature);
      if (left < share) return static_cast<int32_t>(n);
      left -= share;
    }
    return likeliest;  // only rounding or NaN leads here
  }
};

// Returns allowed node p, counted from 0, modulo the number of allowed nodes; node 0 if a mask
// allows none.
inline int32_t NthAllowed(const float* mask, int64_t nodes, int32_t p) {
  const auto count = static_cast<int32_t>(std::count(mask, mask + nodes, 0.0f));
  int32_t left = p % std::max(1, count);
  for (int32_t n = 0; n < nodes; ++n) {
    if (mask[n] == 0 && left-- == 0) return n;
  }
  return 0;
}

}  // namespace vrp
