// Makes the batches of a training run by their numbers. Needs no torch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/model/policy/network_batch.h"
#include "core/train/config/training_config.h"
#include "core/train/data/instance_bounds.h"
#include "core/train/data/sample_set.h"

namespace vrp {

// Instances that the network processes together: a whole step, or one part of a step.
struct BatchPart {
  int64_t first = 0;  // index of the first instance within the step
  NetworkBatch batch;
  std::vector<std::vector<int32_t>> choices;  // [B], choices of the labels' plans; may be empty
};

// The instances of one step, divided into parts. The figures are of the whole step, the parts only
// of this rank's share.
struct TrainingBatch {
  int64_t number = 0;       // number of the batch, from 0
  int32_t instances = 0;    // number of instances of all ranks
  int64_t label_steps = 0;  // number of choices of all labels
  double label_cost = 0;    // mean cost of the labels
  std::vector<BatchPart> parts;
};

// The share of a batch that one of several ranks trains on: its instances PartOf(ranks, rank).
struct BatchShare {
  int32_t rank = 0;
  int32_t ranks = 1;
};

// The batches of a run. They depend only on (configuration, share, number, parts). Thread-safe.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // Makes this rank's share of batch `number` in `parts` parts (PartOf), without empty ones. The
  // instances do not depend on `parts`, and all ranks' shares are the batch of a single rank.
  // Returns the errors of SampleSet::Read if the source is labelled. `pool` may be null; the
  // calling thread then does all the work.
  virtual absl::StatusOr<TrainingBatch> Make(int64_t number, int32_t parts, CpuPool* pool) = 0;
  // Returns `count` single instances of the stream from `first` on. A generated instance has the
  // size that a batch of its number would have. Returns kUnimplemented if the source is labelled,
  // because its set is fixed.
  virtual absl::StatusOr<NetworkBatch> DrawInstances(int64_t first, int64_t count,
                                                     CpuPool* pool) = 0;
  // Returns the bounds of all instances. May read a whole set from disk, and returns the errors of
  // the disk.
  virtual absl::StatusOr<InstanceBounds> Bounds() = 0;
};

// Makes a source of instances generated from problem.seed.
std::unique_ptr<BatchSource> MakeGeneratedSource(const TrainingConfig& config,
                                                 const BatchForm& form, BatchShare share = {});
// Makes a source of a user's instances, drawn with replacement and augmented.
std::unique_ptr<BatchSource> MakeInstanceSource(const TrainingConfig& config, const BatchForm& form,
                                                std::vector<Instance> instances,
                                                BatchShare share = {});
// Makes a source of labelled samples. Each epoch uses the samples in another order. The batch at
// the end of the set may be smaller.
std::unique_ptr<BatchSource> MakeLabelledSource(const TrainingConfig& config, const BatchForm& form,
                                                std::unique_ptr<SampleSet> set,
                                                BatchShare share = {});

}  // namespace vrp
