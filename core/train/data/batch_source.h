// The batches of a training run by their numbers. No torch here.
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

// What goes through the network at once: of a step that accumulates, a part of its instances.
struct BatchPart {
  int64_t first = 0;  // instance within the step
  NetworkBatch batch;
  std::vector<std::vector<int32_t>> choices;  // [B] that lead to the labels' plans; or empty
};

struct TrainingBatch {
  int64_t number = 0;       // from 0
  int32_t instances = 0;    // of all parts
  int64_t label_steps = 0;  // choices of all labels
  double label_cost = 0;    // mean
  std::vector<BatchPart> parts;
};

// Deterministic in (configuration, number, parts). Thread-safe.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // In `parts` parts (PartOf), without empty ones; the instances do not depend on it. `pool` may be
  // null: on the calling thread alone.
  virtual absl::StatusOr<TrainingBatch> Make(int64_t number, int32_t parts, CpuPool* pool) = 0;
  // `count` single instances of the stream from `first` on, of sizes as if each were a batch of its
  // own. kUnimplemented for labelled sources, whose instances are a given set.
  virtual absl::StatusOr<NetworkBatch> Draw(int64_t first, int64_t count, CpuPool* pool) = 0;
  // Of all its instances. May read a whole set from disk, whose errors it passes on.
  virtual absl::StatusOr<InstanceBounds> Bounds() = 0;
};

// Generated instances, of problem.seed.
std::unique_ptr<BatchSource> MakeGeneratedSource(const TrainingConfig& config,
                                                 const BatchForm& form);
// A user's, drawn with replacement and augmented.
std::unique_ptr<BatchSource> MakeInstanceSource(const TrainingConfig& config, const BatchForm& form,
                                                std::vector<Instance> instances);
// Samples of a set; each epoch takes them in an order of its own, its last batch may be smaller.
std::unique_ptr<BatchSource> MakeLabelledSource(const TrainingConfig& config, const BatchForm& form,
                                                std::unique_ptr<SampleSet> set);

}  // namespace vrp
