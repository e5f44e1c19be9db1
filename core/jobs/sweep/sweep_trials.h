// The trials of a sweep: combinations of values, and the epochs after which the worse ones end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/jobs/sweep/sweep_file.h"

namespace vrp {

// The settings of one trial: `key.path=value`, one per key, in the order of the file.
using TrialSettings = std::vector<std::string>;

// Returns the trials of a file: every combination, of which the last key changes fastest, or draws
// by `seed`. Equal seeds give equal draws. No two trials are equal. Returns kInvalidArgument if
// there are more than kMaxSweepTrials combinations, or fewer different ones than `trials`; errors
// begin with `name`.
absl::StatusOr<std::vector<TrialSettings>> ExpandTrials(const SweepFile& file, uint64_t seed,
                                                        std::string_view name);

// Returns the values of a key that can be tried first: all its values, or the ends of its range.
std::vector<std::string> ExtremeValues(const SweepKey& key);

// Returns the epochs after which trials wait for a selection: `first`, `first` * `factor`, and so
// on, all below `epochs`.
std::vector<int64_t> SelectionEpochs(int64_t first, int32_t factor, int64_t epochs);

}  // namespace vrp
