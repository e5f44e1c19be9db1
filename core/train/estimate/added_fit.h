// Learns what one more customer adds to the cost, from pairs of labels.
#pragma once

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/model/estimate/estimate_statistics.h"
#include "core/train/estimate/estimate_labels.h"

namespace vrp {

// Returns EstimateStatistics::added for the pairs of `task`, on all threads of the pool: the
// weights with the least sum of absolute errors, without and with times. Returns 0 without pairs,
// and kCancelled if `stop` fires.
absl::StatusOr<std::array<float, 2 * size_t{kAddedFeatureCount}>> FitAddedCosts(
    const LabelTask& task, const std::vector<EstimateLabel>& labels, CpuPool& pool,
    const StopCondition& stop);

}  // namespace vrp
