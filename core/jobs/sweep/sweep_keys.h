// Checks the keys of a sweep and their values, each for itself.
#pragma once

#include "absl/status/status.h"
#include "core/jobs/job.h"
#include "core/jobs/sweep/sweep_file.h"

namespace vrp {

// Checks that each key can be varied and that the base configuration accepts its values, or the
// ends of its range, beside the first values of the other keys. Returns one line per error:
// `sweep.yaml:7: keys.training.learning_rate.values[1]: got "fast", wanted ...`. Leaves errors that
// do not name a key of the sweep to the check of whole trials.
absl::Status CheckSweepKeys(const SweepFile& file, const JobSpec& base);

}  // namespace vrp
