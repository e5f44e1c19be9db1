// Makes the instances, labels and batches that a run trains on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/policy/network_batch.h"
#include "core/train/data/batch_source.h"
#include "core/train/data/labels.h"
#include "core/train/run/run_context.h"

namespace vrp {

// Returns the folder, threads and stop condition with which a run makes labelled sets. Reports
// `phase` before each piece of work. `context` must outlive the result.
LabelContext LabelContextOf(RunContext& context, std::string phase);

// Returns the user's instances that the configuration names; empty if instances are generated.
// Returns the errors of ReadInstanceFiles.
absl::StatusOr<std::vector<Instance>> ReadUserInstances(const RunContext& context,
                                                        const BatchForm& form);

// Returns the batches of the configuration's method: generated, of `user_instances`, or labelled.
// Returns the errors of MakeFileLabels, MakeSearchLabels and SampleSet::Open.
absl::StatusOr<std::unique_ptr<BatchSource>> MakeBatchSource(RunContext& context,
                                                             const BatchForm& form,
                                                             std::vector<Instance> user_instances);

}  // namespace vrp
