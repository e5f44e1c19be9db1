// Bounds that several sections of a configuration share.
#pragma once

#include <cstdint>
#include <limits>

namespace vrp {

// Largest seed. Integers of a configuration are read as int64.
inline constexpr int64_t kMaxConfigSeed = std::numeric_limits<int64_t>::max();
// Largest number of steps of a run.
inline constexpr int64_t kMaxConfigSteps = 1'000'000'000;
// Largest number of processes that train a network together.
inline constexpr int32_t kMaxConfigWorkers = 1024;
// Largest number of customers of a generated instance, and of trajectories per instance.
inline constexpr int32_t kMaxConfigCustomers = 1000;

}  // namespace vrp
