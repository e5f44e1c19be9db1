#include "core/model/torch_batch.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace vrp {
namespace {

constexpr double kNearness = 0.1;  // see kEdgeFeatures

// Instances of a batch as host tensors, before they move.
class Padding {
 public:
  Padding(const NetworkBatch& batch, const TorchBatchRequest& request)
      : batch_(batch), first_(request.first), count_(request.count) {
    for (int32_t b = 0; b < count_; ++b)
      nodes_ = std::max<int64_t>(nodes_, batch.nodes(first_ + b));
  }

  const RoutingProblem& problem(int64_t b) const {
    return batch_.problems[static_cast<size_t>(first_ + b)];
  }

  at::Tensor Features() const {
    at::Tensor features = at::zeros({count_, nodes_, kNodeFeatures}, at::kFloat);
    float* to = features.mutable_data_ptr<float>();
    for (int64_t b = 0; b < count_; ++b) {
      const auto instance = static_cast<size_t>(first_ + b);
      const float* from =
          batch_.features.data() + int64_t{batch_.first_rows[instance]} * kNodeFeatures;
      std::copy_n(from, int64_t{problem(b).nodes} * kNodeFeatures, to + b * nodes_ * kNodeFeatures);
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

  // Of each instance a number: 0 / 1 for one of a metric, its scale, ...
  template <typename Value>
  at::Tensor Each(Value value) const {
    at::Tensor column = at::empty({count_, 1, 1}, at::kDouble);
    for (int64_t b = 0; b < count_; ++b) column.mutable_data_ptr<double>()[b] = value(problem(b));
    return column;
  }

  bool Any(bool (*is)(const RoutingProblem&)) const {
    for (int64_t b = 0; b < count_; ++b) {
      if (is(problem(b))) return true;
    }
    return false;
  }

  at::Tensor Positions() const {
    at::Tensor positions = at::zeros({count_, 2, nodes_}, at::kDouble);
    double* to = positions.mutable_data_ptr<double>();
    for (int64_t b = 0; b < count_; ++b, to += 2 * nodes_) {
      if (problem(b).x == nullptr) continue;
      std::copy_n(problem(b).x, problem(b).nodes, to);
      std::copy_n(problem(b).y, problem(b).nodes, to + nodes_);
    }
    return positions;
  }

  at::Tensor Matrices() const {
    at::Tensor matrices = at::zeros({count_, nodes_, nodes_}, at::kDouble);
    for (int64_t b = 0; b < count_; ++b) {
      const RoutingProblem& from = problem(b);
      if (from.distances == nullptr) continue;
      double* to = matrices.mutable_data_ptr<double>() + b * nodes_ * nodes_;
      for (int64_t row = 0; row < from.nodes; ++row) {
        std::copy_n(from.distances + row * from.nodes, from.nodes, to + row * nodes_);
      }
    }
    return matrices;
  }

  int64_t nodes() const { return nodes_; }

 private:
  const NetworkBatch& batch_;
  const int64_t first_;
  const int64_t count_;
  int64_t nodes_ = 0;
};

bool HasMatrix(const RoutingProblem& problem) { return problem.distances != nullptr; }
bool HasRounding(const RoutingProblem& problem) { return problem.metric != Metric::kExact; }

// MetricDistance of whole matrices.
at::Tensor Round(Metric metric, const at::Tensor& distances) {
  switch (metric) {
    case Metric::kExact:
      return distances;
    case Metric::kRounded:
      return at::floor(distances + 0.5);
    case Metric::kCeiled:
      return at::ceil(distances);
    case Metric::kDimacs:
      return at::floor(distances * 10) / 10;
    case Metric::kScaled1000:
      return at::floor(distances * 1000 + 0.5);
  }
  return distances;
}

// [B, N, N] double, in the instances' units.
at::Tensor Distances(const Padding& padding, Transfers& transfers) {
  const at::Tensor positions = transfers.ToDevice(padding.Positions());
  const at::Tensor differences = positions.unsqueeze(3) - positions.unsqueeze(2);
  const at::Tensor exact = at::square(differences).sum(1).sqrt();
  at::Tensor distances = exact;
  if (padding.Any(HasRounding)) {
    for (const Metric metric :
         {Metric::kRounded, Metric::kCeiled, Metric::kDimacs, Metric::kScaled1000}) {
      const at::Tensor here = transfers.ToDevice(
          padding.Each([metric](const RoutingProblem& p) { return p.metric == metric ? 1 : 0; }));
      distances = at::where(here != 0, Round(metric, exact), distances);
    }
  }
  if (!padding.Any(HasMatrix)) return distances;
  const at::Tensor matrices = transfers.ToDevice(padding.Matrices());
  transfers.CountMatrix(matrices.numel() * matrices.element_size());
  const at::Tensor given = transfers.ToDevice(
      padding.Each([](const RoutingProblem& p) { return p.distances != nullptr ? 1 : 0; }));
  return at::where(given != 0, matrices, distances);
}

at::Tensor Edges(const Padding& padding, at::ScalarType type, Transfers& transfers) {
  const at::Tensor scale =
      transfers.ToDevice(padding.Each([](const RoutingProblem& p) { return p.scale; }));
  const at::Tensor there = Distances(padding, transfers) / scale;
  const at::Tensor back = there.transpose(1, 2);
  return at::stack({there, back, at::exp(there / -kNearness), at::exp(back / -kNearness)}, 1)
      .to(type);
}

}  // namespace

at::Tensor Transfers::ToDevice(const at::Tensor& host) {
  Count(host.numel() * host.element_size());
  return host.to(device_);
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

TorchBatch MakeTorchBatch(const NetworkBatch& batch, const TorchBatchRequest& request,
                          Transfers& transfers) {
  const Padding padding(batch, request);
  const at::ScalarType type = c10::typeMetaToScalarType(request.options.dtype());
  const at::Tensor sizes = transfers.ToDevice(padding.Sizes());
  TorchBatch result;
  result.features = transfers.ToDevice(padding.Features()).to(type);
  result.valid = at::arange(padding.nodes(), sizes.options()).unsqueeze(0) < sizes.unsqueeze(1);
  result.sizes = sizes.to(type);
  result.last = sizes - 1;
  result.tsp = transfers.ToDevice(padding.Tsp());
  if (request.edges) result.edges = Edges(padding, type, transfers);
  return result;
}

}  // namespace vrp
