// Instances by their numbers: functions of (configuration, seed, number), so that a resumed run
// draws the same ones, in any order and by any thread. Thread-safe.
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

// The size of batch `batch`, which all its generated instances have.
int32_t DrawCustomers(const ProblemConfig& problem, uint64_t seed, int64_t batch);

// Instance `index` of the mixture, without name and ids. Where the mixture has one kind and layout
// and no attributes, it is GenerateInstance's.
InstanceData DrawInstance(const ProblemConfig& problem, uint64_t seed, int64_t index,
                          int32_t customers);

// What a device draws by itself so that it comes to DrawInstance's, where all have one size.
// kUnimplemented names what it does not: `layouts: clustered`.
absl::StatusOr<UniformInstances> DrawnByDevice(const ProblemConfig& problem);

// Where in the stream the instances lie that compare a policy with its baseline after it was
// replaced `replacements` times: far beyond those of training.
int64_t BaselineInstances(int64_t replacements);

// The instances of all `files`: JSON lines, or a file each in any format that ParseInstance reads.
// kInvalidArgument, kUnimplemented with `file:line: ...` for one that is malformed, or that no
// network was made for.
absl::StatusOr<std::vector<Instance>> ReadInstanceFiles(const std::vector<DataFile>& files,
                                                        const BatchForm& form);

// A user's instance, turned and mirrored (one of the square's eight symmetries) and with other
// demands, as `problem` says. Distances stay what they are.
InstanceData Augmented(const InstanceData& instance, const ProblemConfig& problem, uint64_t seed,
                       int64_t index);

}  // namespace vrp
