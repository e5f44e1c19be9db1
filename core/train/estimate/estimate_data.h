// Instances with their labels, from which estimates learn and by which they are validated.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/model/estimate/estimate_model.h"
#include "core/train/config/training_config.h"
#include "core/train/estimate/estimate_labels.h"

namespace vrp {

// The tasks of a training: what it learns from, further instances with cheaper labels, and what
// validates it.
LabelTask TrainingTask(const TrainingConfig& config);
LabelTask CoarseTask(const TrainingConfig& config);
LabelTask ValidationTask(const TrainingConfig& config);

// Draws an instance again and chooses its customers, all or all but the last. Instances are small
// and drawn in microseconds, so that no training keeps them.
absl::Status ChooseDrawn(const LabelTask& task, int64_t index, bool without_last,
                         Subproblem& problem);

// Returns the normalisations, the ranges and the known layouts of the instances of `task`, on all
// threads of the pool. Corrections are 0. Returns kCancelled if `stop` fires.
absl::StatusOr<EstimateStatistics> MeasureInstances(const LabelTask& task,
                                                    const std::vector<EstimateLabel>& labels,
                                                    CpuPool& pool, const StopCondition& stop);

}  // namespace vrp
