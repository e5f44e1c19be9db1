// A batch on its way to the device, padded to its longest instance. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/model/policy/network_batch.h"
#include "core/model/policy/network_inputs.h"

namespace vrp {

// What moves between host and device, counted. On the CPU nothing moves.
class Transfers {
 public:
  // `pinned`: see EngineOptions.
  explicit Transfers(at::Device device, bool pinned = false)
      : device_(device), pinned_(pinned && device.is_cuda()) {}

  at::Device device() const { return device_; }
  at::Tensor ToDevice(const at::Tensor& host);
  // Waits for the device.
  at::Tensor ToHost(const at::Tensor& tensor);
  void Count(int64_t bytes);
  void CountMatrix(int64_t bytes) { matrix_bytes_ += device_.is_cpu() ? 0 : bytes; }

  int64_t bytes() const { return bytes_; }
  int64_t copies() const { return copies_; }
  int64_t matrix_bytes() const { return matrix_bytes_; }  // of these, of distance matrices

 private:
  const at::Device device_;
  const bool pinned_;
  int64_t bytes_ = 0;
  int64_t copies_ = 0;
  int64_t matrix_bytes_ = 0;
};

// B instances of at most N nodes. Nodes beyond an instance's are 0 and not valid.
struct TorchBatch {
  at::Tensor features;  // [B, N, columns of the batch]
  at::Tensor valid;     // [B, N] bool
  at::Tensor sizes;     // [B], of the features' type
  at::Tensor last;      // [B] int64: the last valid node
  at::Tensor tsp;       // [B] bool: no node is a depot
  bool any_tsp = false;
  at::Tensor edges;  // [B, kEdgeFeatures, N, N]; undefined unless asked for
};

// What comes from the host; all else is computed from it on the device.
struct TorchBatchParts {
  at::Tensor features;  // [B, N, columns of the batch] float
  at::Tensor sizes;     // [B] int64
  at::Tensor tsp;       // [B] bool
};
// Of instances first .. first + count - 1, padded to `nodes`.
TorchBatchParts PadBatch(const NetworkBatch& batch, int32_t first, int32_t count, int64_t nodes);

// [B, N, N] double: their distance matrices, scaled, 0 in the padding; -1 where an instance has
// none.
at::Tensor PadGivenLengths(const NetworkBatch& batch, int32_t first, int32_t count, int64_t nodes);

// Without edges, in the type `type`; waits for nothing.
TorchBatch CompleteBatch(const TorchBatchParts& parts, at::ScalarType type, bool any_tsp);
// [B, N, inputs.width()]: the features that the network reads.
at::Tensor InputColumns(const TorchBatch& batch, const NetworkInputs& inputs);
// kEdgeFeatures of distances [B, N, N].
at::Tensor EdgesOf(const at::Tensor& distances);
// [B, N, N], scaled, of the coordinates in `features`, whatever the metric rounds.
at::Tensor PlaneDistances(const at::Tensor& features);

// The same where none is given: `given` as PadGivenLengths, of any type.
at::Tensor GivenDistances(const at::Tensor& features, const at::Tensor& given);

struct TorchBatchRequest {
  int32_t first = 0;  // instances first .. first + count - 1 of the batch
  int32_t count = 0;
  at::TensorOptions options;
  bool edges = false;
};

// Distances are computed from the features on the device; given matrices are moved there.
TorchBatch MakeTorchBatch(const NetworkBatch& batch, const TorchBatchRequest& request,
                          Transfers& transfers);

}  // namespace vrp
