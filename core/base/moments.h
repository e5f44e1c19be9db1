// Computes means and their standard errors.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace vrp {

// The running sums over a sample of values.
class Moments {
 public:
  void Add(double value) {
    const double before = count_ > 0 ? sum_ / static_cast<double>(count_) : 0;
    ++count_;
    sum_ += value;
    squares_ += (value - before) * (value - Mean());
  }
  // Returns NaN without values.
  double Mean() const {
    return count_ > 0 ? sum_ / static_cast<double>(count_)
                      : std::numeric_limits<double>::quiet_NaN();
  }
  // Returns the standard error of the mean; 0 for fewer than two values.
  double StandardError() const {
    if (count_ < 2) return 0;
    const auto n = static_cast<double>(count_);
    return std::sqrt(squares_ / (n - 1) / n);
  }

 private:
  int64_t count_ = 0;
  double sum_ = 0;
  double squares_ = 0;  // squared differences from the mean, summed as Welford does
};

}  // namespace vrp
