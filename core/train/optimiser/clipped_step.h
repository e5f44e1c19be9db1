// One update of a network by its clipped gradient.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/model/weights/flat_parameters.h"
#include "core/train/config/training_config.h"
#include "core/train/optimiser/adamw.h"

namespace vrp {

// Makes step `step` (from 0) of `adamw` along the gradient of `parameters`, clipped to the norm
// training.gradient_clip. Returns the norm before clipping, or kInternal if it is not finite; then
// nothing changes. `update_pool` may be null; the calling thread then makes the update.
absl::StatusOr<double> TakeClippedStep(const TrainingConfig& config, int64_t step, CpuPool& pool,
                                       CpuPool* update_pool, FlatParameters& parameters,
                                       AdamW& adamw);

}  // namespace vrp
