// The instances of a training run: functions of their numbers, so that a resumed run draws the
// same.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/network_input.h"
#include "core/problem/generators.h"
#include "core/train/training_config.h"

namespace vrp {

// Instances first .. first + count - 1 of the stream with `seed`.
absl::StatusOr<std::vector<NetworkInput>> GenerateInputs(const ProblemConfig& problem,
                                                         uint64_t seed, int64_t first,
                                                         int64_t count);

// Where in the problem's stream the instances lie that compare a policy with its baseline after it
// was replaced `replacements` times: far beyond those of training.
int64_t BaselineInstances(int64_t replacements);

// Of the nearest-neighbour builder's plans.
double MeanReferenceCost(const std::vector<NetworkInput>& inputs);

}  // namespace vrp
