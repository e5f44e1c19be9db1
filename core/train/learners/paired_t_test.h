// Is one policy better than another on the same instances?
#pragma once

#include <span>

namespace vrp {

// One-sided paired t-test: the chance to see costs[i] as far below baseline[i], in the mean, when
// they are equal in truth. 1 for fewer than two pairs, or when `costs` are not lower; 0 when every
// difference is the same and negative. Spans of equal length.
double PairedTTest(std::span<const double> costs, std::span<const double> baseline);

// The lower tail of Student's t distribution with `freedom` degrees at `t`.
double StudentTail(double t, double freedom);

}  // namespace vrp
