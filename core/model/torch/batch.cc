#include "core/model/torch/batch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

namespace vrp {
namespace {

constexpr double kEdgeDecay = 0.1;  // see kEdgeFeatures
constexpr double kNoLength = -1;    // value for a length that is not given

// Padded instances of a batch as host tensors, before the upload.
class PaddedInstances {
 public:
  PaddedInstances(const NetworkBatch& batch, int32_t first, int32_t count, int64_t nodes = 0)
      : batch_(batch), first_(first), count_(count), nodes_(nodes) {
    for (int32_t b = 0; b < count; ++b) nodes_ = std::max<int64_t>(nodes_, batch.nodes(first + b));
  }

  const RoutingProblem& problem(int64_t b) const {
    return batch_.problems[static_cast<size_t>(first_ + b)];
  }

  at::Tensor Features() const {
    const int64_t columns = batch_.columns;
    at::Tensor features = at::zeros({count_, nodes_, columns}, at::kFloat);
    auto* to = features.mutable_data_ptr<float>();
    for (int64_t b = 0; b < count_; ++b) {
      const auto instance = static_cast<size_t>(first_ + b);
      const float* from = batch_.features.data() + int64_t{batch_.first_rows[instance]} * columns;
      std::copy_n(from, problem(b).nodes * columns, to + b * nodes_ * columns);
    }
    return features;
  }

  at::Tensor Sizes() const {
    at::Tensor sizes = at::empty({count_}, at::kLong);
    for (int64_t b = 0; b < count_; ++b) sizes.mutable_data_ptr<int64_t>()[b] = problem(b).nodes;
    return sizes;
  }

  at::Tensor Tsp() const {
    at::Tensor tsp = at::empty({count_}, at::kBool);
    for (int64_t b = 0; b < count_; ++b) tsp.mutable_data_ptr<bool>()[b] = problem(b).tsp;
    return tsp;
  }

  bool Any(bool (*is)(const RoutingProblem&)) const {
    for (int64_t b = 0; b < count_; ++b) {
      if (is(problem(b))) return true;
    }
    return false;
  }

  bool Full() const {
    for (int64_t b = 0; b < count_; ++b) {
      if (problem(b).nodes != nodes_) return false;
    }
    return true;
  }

  // Returns the matrices of PadGivenLengths.
  at::Tensor GivenLengths() const {
    at::Tensor lengths = at::full({count_, nodes_, nodes_}, kNoLength, at::kDouble);
    auto* to = lengths.mutable_data_ptr<double>();
    for (int64_t b = 0; b < count_; ++b, to += nodes_ * nodes_) {
      const RoutingProblem& from = problem(b);
      if (from.distances == nullptr) continue;
      std::fill_n(to, nodes_ * nodes_, 0);
      for (int64_t i = 0; i < from.nodes; ++i) {
        for (int64_t j = 0; j < from.nodes; ++j) {
          to[i * nodes_ + j] = from.distances[i * from.nodes + j] / from.scale;
        }
      }
    }
    return lengths;
  }

 private:
  const NetworkBatch& batch_;
  const int64_t first_;
  const int64_t count_;
  int64_t nodes_;
};

bool HasMatrix(const RoutingProblem& problem) { return problem.distances != nullptr; }

// Returns scaled distances [B, N, N], computed from the features or given.
at::Tensor Distances(const PaddedInstances& padding, const at::Tensor& features,
                     Transfers& transfers) {
  if (!padding.Any(HasMatrix)) return EuclideanDistances(features);
  const at::Tensor given = transfers.ToDevice(padding.GivenLengths());
  transfers.CountMatrix(given.numel() * given.element_size());
  return GivenDistances(features, given);
}

}  // namespace

at::Tensor Transfers::ToDevice(const at::Tensor& host) {
  Count(host.numel() * host.element_size());
  // The caller may reuse its own page-locked memory as soon as this returns, so the copy blocks.
  if (!pinned_ || host.is_pinned()) return host.to(device_);
  // Torch reuses page-locked memory only after the device has read it. While one buffer is being
  // copied, the host fills the next.
  return host.pin_memory().to(device_, /*non_blocking=*/true);
}

at::Tensor Transfers::ToHost(const at::Tensor& tensor) {
  Count(tensor.numel() * tensor.element_size());
  return tensor.to(at::kCPU).contiguous();
}

void Transfers::Count(int64_t bytes) {
  if (device_.is_cpu()) return;
  bytes_ += bytes;
  ++copies_;
}

TorchBatchParts PadBatch(const NetworkBatch& batch, int32_t first, int32_t count, int64_t nodes) {
  const PaddedInstances padding(batch, first, count, nodes);
  return {.features = padding.Features(), .sizes = padding.Sizes(), .tsp = padding.Tsp()};
}

at::Tensor PadGivenLengths(const NetworkBatch& batch, int32_t first, int32_t count, int64_t nodes) {
  return PaddedInstances(batch, first, count, nodes).GivenLengths();
}

TorchBatch CompleteBatch(const TorchBatchParts& parts, at::ScalarType type, bool any_tsp) {
  const at::Tensor& sizes = parts.sizes;
  TorchBatch result;
  result.features = parts.features.to(type);
  result.valid =
      at::arange(parts.features.size(1), sizes.options()).unsqueeze(0) < sizes.unsqueeze(1);
  result.sizes = sizes.to(type);
  result.last = sizes - 1;
  result.tsp = parts.tsp;
  result.any_tsp = any_tsp;
  return result;
}

at::Tensor InputColumns(const TorchBatch& batch, const NetworkInputs& inputs) {
  std::vector<at::Tensor> columns;
  bool all = inputs.width() == batch.features.size(2);
  for (int32_t i = 0; i < inputs.width(); ++i) {
    const int32_t column = inputs.columns[static_cast<size_t>(i)];
    columns.push_back(batch.features.select(2, column));
    all = all && column == i;
  }
  return all ? batch.features : at::stack(columns, 2);
}

at::Tensor EuclideanDistances(const at::Tensor& features) {
  const at::Tensor positions = features.narrow(2, 0, 2);
  const at::Tensor differences = positions.unsqueeze(2) - positions.unsqueeze(1);
  return at::square(differences).sum(3).sqrt();
}

at::Tensor GivenDistances(const at::Tensor& features, const at::Tensor& given) {
  return at::where(given == kNoLength, EuclideanDistances(features),
                   given.to(features.scalar_type()));
}

at::Tensor EdgesOf(const at::Tensor& distances) {
  const at::Tensor back = distances.transpose(1, 2);
  return at::stack({distances, back, at::exp(distances / -kEdgeDecay), at::exp(back / -kEdgeDecay)},
                   1);
}

TorchBatch MakeTorchBatch(const NetworkBatch& batch, const TorchBatchRequest& request,
                          Transfers& transfers) {
  const PaddedInstances padding(batch, request.first, request.count);
  const TorchBatchParts parts = {.features = transfers.ToDevice(padding.Features()),
                                 .sizes = transfers.ToDevice(padding.Sizes()),
                                 .tsp = transfers.ToDevice(padding.Tsp())};
  const at::ScalarType type = c10::typeMetaToScalarType(request.options.dtype());
  TorchBatch result =
      CompleteBatch(parts, type, padding.Any([](const RoutingProblem& p) { return p.tsp; }));
  result.full = padding.Full();
  if (request.edges) result.edges = EdgesOf(Distances(padding, result.features, transfers));
  return result;
}

}  // namespace vrp
