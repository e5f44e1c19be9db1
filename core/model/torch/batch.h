// A batch of instances as tensors on a device, padded to its longest instance. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/model/policy/network_batch.h"
#include "core/model/policy/network_inputs.h"

namespace vrp {

// A copier of tensors between host and device that counts its copies. It copies nothing on the CPU.
class Transfers {
 public:
  // Makes a copier. `pinned`: whether uploads go through page-locked memory (EngineOptions).
  explicit Transfers(at::Device device, bool pinned = false)
      : device_(device), pinned_(pinned && device.is_cuda()) {}

  at::Device device() const { return device_; }
  // Copies to the device. If the copy goes through page-locked memory, returns before the copy is
  // done; `host` may change afterwards. On the CPU, returns `host` itself.
  at::Tensor ToDevice(const at::Tensor& host);
  // Copies to the host. Blocks until the device is done.
  at::Tensor ToHost(const at::Tensor& tensor);
  // Counts one copy of `bytes` bytes, unless the device is the CPU.
  void Count(int64_t bytes);
  void CountMatrix(int64_t bytes) { matrix_bytes_ += device_.is_cpu() ? 0 : bytes; }

  int64_t bytes() const { return bytes_; }
  int64_t copies() const { return copies_; }
  int64_t matrix_bytes() const { return matrix_bytes_; }  // part of bytes(): the matrices

 private:
  const at::Device device_;
  const bool pinned_;  // whether uploads go through page-locked memory
  int64_t bytes_ = 0;
  int64_t copies_ = 0;
  int64_t matrix_bytes_ = 0;
};

// B instances of at most N nodes. Padding nodes are 0 and not valid.
struct TorchBatch {
  at::Tensor features;   // [B, N, columns of the batch]
  at::Tensor valid;      // [B, N] bool
  at::Tensor sizes;      // [B], of the features' type
  at::Tensor last;       // [B] int64: the last valid node
  at::Tensor tsp;        // [B] bool: whether no node is a depot
  bool any_tsp = false;  // whether an instance may be a TSP
  bool full = false;     // whether the host knows that no node is padding
  at::Tensor edges;      // [B, kEdgeFeatures, N, N]; undefined unless requested
};

// The parts of a batch that the host uploads. The device computes the rest.
struct TorchBatchParts {
  at::Tensor features;  // [B, N, columns of the batch] float
  at::Tensor sizes;     // [B] int64
  at::Tensor tsp;       // [B] bool
};
// Returns instances first .. first + count - 1 on the host. Pads them to `nodes` nodes, or to the
// largest instance if it has more.
TorchBatchParts PadBatch(const NetworkBatch& batch, int32_t first, int32_t count, int64_t nodes);

// Returns the distance matrices [B, N, N] double on the host, scaled, 0 in the padding. All entries
// are -1 for an instance without a matrix. N is as in PadBatch.
at::Tensor PadGivenLengths(const NetworkBatch& batch, int32_t first, int32_t count, int64_t nodes);

// Computes the rest of a batch except edges, in type `type`. Does not wait for the device.
TorchBatch CompleteBatch(const TorchBatchParts& parts, at::ScalarType type, bool any_tsp);
// Returns the features that the network reads, [B, N, inputs.width()].
at::Tensor InputColumns(const TorchBatch& batch, const NetworkInputs& inputs);
// Returns the edge features [B, kEdgeFeatures, N, N] of distances [B, N, N].
at::Tensor EdgesOf(const at::Tensor& distances);
// Returns scaled distances [B, N, N] of the coordinates in `features`, without the metric's
// rounding.
at::Tensor EuclideanDistances(const at::Tensor& features);

// Returns `given` (from PadGivenLengths, of any type), with Euclidean distances for each instance
// that has no matrix.
at::Tensor GivenDistances(const at::Tensor& features, const at::Tensor& given);

// The instances of a TorchBatch, and the type and device of its tensors.
struct TorchBatchRequest {
  int32_t first = 0;  // instances first .. first + count - 1 of the batch
  int32_t count = 0;
  at::TensorOptions options;
  bool edges = false;  // whether to compute TorchBatch::edges
};

// Builds a batch on the device. Uploads given matrices; the device computes all other distances
// from the features.
TorchBatch MakeTorchBatch(const NetworkBatch& batch, const TorchBatchRequest& request,
                          Transfers& transfers);

}  // namespace vrp
