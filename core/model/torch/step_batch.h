// A step's instances, or those of a request, at addresses that stay the same, so that one graph
// serves all of them: moved there, or drawn there. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/instances/device_instances.h"
#include "core/kernels/routing/routing_rules.h"
#include "core/model/policy/batch_parts.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/captured_steps.h"
#include "core/model/torch/batch.h"

namespace vrp {

struct StepBatchShape {
  int32_t instances = 0;            // B
  int32_t nodes = 0;                // N, of the largest instance
  int32_t columns = kNodeFeatures;  // of a node's features
  bool tsp = false;                 // some may be a TSP
  bool matrices = false;            // some may have them
  bool labels = false;              // they come with labels
  int32_t steps = 0;                // T, of the longest label; 0: as many as any may have
  bool fewer = false;               // fewer may come

  // T that any trajectory may have.
  int32_t MostSteps() const;

  bool operator==(const StepBatchShape&) const = default;
};

// Of the device's memory, [] double each.
struct LabelScalars {
  at::Tensor weight;           // of each label's log-likelihood in the loss
  at::Tensor teacher_forcing;  // see StepLabels
  at::Tensor cost;             // mean
  at::Tensor instances;        // that have labels
};

class StepBatch {
 public:
  StepBatch(const StepBatchShape& shape, at::Device device);

  // Puts B instances into the current stream, by one copy; does not wait for it. Where fewer come,
  // what is missing is the first one again, without a label. kInvalidArgument: they do not have
  // this shape.
  absl::Status Upload(const NetworkBatch& batch, const StepLabels* labels = nullptr);
  int64_t bytes() const { return memory_.numel(); }
  // Of these, of the matrices of what came last.
  int64_t matrix_bytes() const { return matrix_bytes_; }
  int32_t nodes() const { return shape_.nodes; }
  // Draws B instances of at most N nodes instead, on the device, in the current stream: those of
  // batch `*batch`, a number in the device's memory.
  absl::Status Draw(const UniformInstances& drawn, const int64_t* batch);

  InstanceRange all() const { return {.first = 0, .count = shape_.instances}; }
  // Of these of the B instances.
  const StepRules* rules(InstanceRange of) const;
  at::Tensor scales(InstanceRange of) const;  // [count] double, see RoutingProblem
  TorchBatch View(InstanceRange of, at::ScalarType type, bool edges) const;
  at::Tensor choices(InstanceRange of) const;  // [count, 1, T] int32: the labels', -1 after the end
  int32_t max_steps() const { return shape_.steps > 0 ? shape_.steps : shape_.MostSteps(); }  // T
  LabelScalars numbers() const;  // of all labels

 private:
  // Where the parts lie, in bytes; rules and their arrays come first.
  struct Offsets {
    int64_t rules_end = 0;
    int64_t scales = 0;
    int64_t numbers = 0;
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
  at::Tensor NumbersIn(const at::Tensor& memory) const;

  const StepBatchShape shape_;
  const Offsets offsets_;
  const at::Tensor memory_;
  int64_t matrix_bytes_ = 0;
};

}  // namespace vrp
