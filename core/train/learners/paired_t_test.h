// A test for whether one policy is better than another on the same instances.
#pragma once

#include <span>

namespace vrp {

// Returns the p-value of a one-sided paired t-test. It is the probability that the mean of costs[i]
// - baseline[i] is at least this far below 0 if both have equal means. Returns 1 for fewer than two
// pairs, or if the mean difference is not below 0. Returns 0 if every difference is the same and
// negative. The spans must have equal length.
double PairedTTest(std::span<const double> costs, std::span<const double> baseline);

// Returns the cumulative distribution function of Student's t distribution at `t`.
double StudentTCdf(double t, double degrees_of_freedom);

}  // namespace vrp
