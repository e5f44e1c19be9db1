// Instances as functions of (configuration, seed, number). A resumed run therefore draws the same
// instances, in any order and by any thread. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/policy/network_batch.h"
#include "core/problem/generate/instance_draws.h"
#include "core/problem/instance/instance.h"
#include "core/train/config/data_files.h"
#include "core/train/config/training_config.h"

namespace vrp {

// Returns the number of customers in each generated instance of batch `batch`.
int32_t DrawCustomers(const ProblemConfig& problem, uint64_t seed, int64_t batch);

// Returns instance `index` of the mixture that `problem` describes, without name and ids. For a
// mixture of one kind and layout without attributes the result is that of GenerateInstance.
InstanceData DrawInstance(const ProblemConfig& problem, uint64_t seed, int64_t index,
                          int32_t customers);

// Returns the distribution from which a device draws the same instances as DrawInstance, all of one
// size. Returns kUnimplemented naming a setting that devices do not support: `layouts: clustered`.
absl::StatusOr<UniformInstances> DeviceDistribution(const ProblemConfig& problem);

// Returns the number of the first instance on which a policy is compared with its baseline after
// `replacements` replacements. This number is far beyond the instances of training.
int64_t BaselineInstances(int64_t replacements);

// Returns the instances of all `files`: JSON lines, or one instance in any format that
// ParseInstance reads. Returns kInvalidArgument if an instance is malformed. Returns kUnimplemented
// if networks that read instances in `form` do not support an instance. These errors begin with
// `file:line: ` or `file: `. Also returns the errors of the disk.
absl::StatusOr<std::vector<Instance>> ReadInstanceFiles(const std::vector<DataFile>& files,
                                                        const BatchForm& form);

// Returns a user's instance without ids, after a random symmetry augmentation (one of the square's
// eight symmetries) and with jittered demands, as `problem` says. Distances do not change.
InstanceData Augment(const InstanceData& instance, const ProblemConfig& problem, uint64_t seed,
                     int64_t index);

}  // namespace vrp
