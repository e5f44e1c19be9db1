// Limits and defaults of a solve's options.
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace vrp {

// Smallest and largest budget of a solve.
inline constexpr absl::Duration kMinBudget = absl::Milliseconds(1);
inline constexpr int32_t kMaxBudgetSeconds = 30 * 24 * 3600;
inline constexpr absl::Duration kMaxBudget = absl::Seconds(kMaxBudgetSeconds);
// Budget of a call or a solve job that specifies neither a budget nor a stop rule.
inline constexpr absl::Duration kDefaultBudget = absl::Milliseconds(500);
inline constexpr absl::Duration kDefaultJobBudget = absl::Minutes(10);

// Default and maximum number of samples or beams.
inline constexpr int32_t kDefaultWidth = 16;
inline constexpr int32_t kMaxWidth = 10'000;

// Default and maximum number of rounds of improvement (PlanImprovement).
inline constexpr int32_t kDefaultRounds = 20'000;
inline constexpr int32_t kMaxRounds = 10'000'000;

}  // namespace vrp
