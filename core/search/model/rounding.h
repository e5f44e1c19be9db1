// Room for the rounding of sums.
#pragma once

namespace vrp {

// Far below the checker's tolerance (1e-6), far above the rounding of sums of doubles.
inline constexpr double kRelativeSlack = 1e-9;

// Returns `limit` with room for rounding. The checker allows twice that.
inline double WithSlack(double limit) { return limit * (1 + kRelativeSlack / 2); }

}  // namespace vrp
