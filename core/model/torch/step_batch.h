// The instances of a step or a request at fixed addresses, so that one graph serves all batches.
// The host uploads them there, or the device draws them. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/instances/device_instances.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/model/policy/batch_parts.h"
#include "core/model/policy/captured_steps.h"
#include "core/model/policy/network_batch.h"
#include "core/model/torch/batch.h"

namespace vrp {

// The sizes of a StepBatch. Batches of one shape share a graph.
struct StepBatchShape {
  int32_t instances = 0;            // B
  int32_t nodes = 0;                // N, the largest number of nodes of an instance
  int32_t columns = kNodeFeatures;  // number of a node's features
  bool tsp = false;                 // whether some instances may be a TSP
  bool matrices = false;            // whether some instances may have matrices
  bool labels = false;              // whether the instances come with labels
  int32_t steps = 0;                // T, of the longest label; 0: the maximum for any label
  bool allow_smaller = false;       // whether batches may have fewer instances

  // Returns the largest T that a trajectory may have.
  int32_t MaxSteps() const;

  bool operator==(const StepBatchShape&) const = default;
};

// Scalars in the device's memory, [] double each.
struct LabelScalars {
  at::Tensor weight;           // weight of each label's log-likelihood in the loss
  at::Tensor teacher_forcing;  // as in StepLabels
  at::Tensor cost;             // mean cost of the labels
  at::Tensor instances;        // number of instances with labels
};

// The memory of B instances at fixed addresses of a device.
class StepBatch {
 public:
  StepBatch(const StepBatchShape& shape, at::Device device);

  // Uploads B instances by one copy in the current stream, without waiting. Pads a smaller batch
  // with copies of its first instance, which have no labels. Returns kInvalidArgument if the batch
  // does not have this shape.
  absl::Status Upload(const NetworkBatch& batch, const StepLabels* labels = nullptr);
  int64_t bytes() const { return memory_.numel(); }
  // Returns the bytes of the last batch's matrices, which are part of bytes().
  int64_t matrix_bytes() const { return matrix_bytes_; }
  int32_t nodes() const { return shape_.nodes; }
  // Draws B instances of at most N nodes on the device, in the current stream. The instances are
  // those of batch number `*batch`, which is in the device's memory.
  absl::Status Draw(const UniformInstances& drawn, const int64_t* batch);

  InstanceRange all() const { return {.first = 0, .count = shape_.instances}; }
  // The next three functions return data of a range of the B instances.
  const StepRules* rules(InstanceRange range) const;
  at::Tensor scales(InstanceRange range) const;  // [count] double, see RoutingProblem
  TorchBatch View(InstanceRange range, at::ScalarType type, bool edges) const;
  // Returns the labels [count, 1, T] int32, -1 after the end.
  at::Tensor choices(InstanceRange range) const;
  int32_t max_steps() const { return shape_.steps > 0 ? shape_.steps : shape_.MaxSteps(); }  // T
  LabelScalars scalars() const;  // scalars of all labels

 private:
  // Offsets of the parts in bytes; rules and their arrays come first.
  struct Offsets {
    int64_t rules_end = 0;
    int64_t scales = 0;
    int64_t scalars = 0;
    int64_t sizes = 0;
    int64_t features = 0;
    int64_t lengths = 0;
    int64_t choices = 0;
    int64_t tsp = 0;
    int64_t end = 0;
  };
  Offsets LayOut() const;
  absl::Status Check(const NetworkBatch& batch, const StepLabels* labels) const;
  void WriteLabels(const StepLabels& labels, const at::Tensor& host) const;
  TorchBatchParts PartsIn(const at::Tensor& memory) const;
  at::Tensor LengthsIn(const at::Tensor& memory) const;
  at::Tensor ScalesIn(const at::Tensor& memory) const;
  at::Tensor ChoicesIn(const at::Tensor& memory) const;
  at::Tensor ScalarsIn(const at::Tensor& memory) const;

  const StepBatchShape shape_;
  const Offsets offsets_;
  const at::Tensor memory_;
  int64_t matrix_bytes_ = 0;
};

}  // namespace vrp
