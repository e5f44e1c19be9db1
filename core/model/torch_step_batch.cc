#include "core/model/torch_step_batch.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/device/device_stream.h"
#include "core/kernels/attention_decoder.h"
#include "core/model/torch_rules.h"

namespace vrp {
namespace {

// Coordinates, demands, backhauls, windows and services.
constexpr int64_t kMostColumns = 7;
static_assert(kInstanceColumns <= kMostColumns);

// [count, ...] of `type` that begins at `offset`.
at::Tensor Section(const at::Tensor& memory, int64_t offset, at::IntArrayRef shape,
                   at::ScalarType type) {
  int64_t bytes = static_cast<int64_t>(c10::elementSize(type));
  for (const int64_t extent : shape) bytes *= extent;
  return memory.narrow(0, offset, bytes).view(type).view(shape);
}

}  // namespace

StepBatch::Offsets StepBatch::LayOut(const StepBatchShape& shape) {
  const int64_t count = shape.instances;
  const int64_t rows = count * shape.nodes;
  Offsets offsets;
  const auto take = [&offsets](int64_t& offset, int64_t bytes) {
    offset = offsets.end;
    offsets.end += (bytes + 15) / 16 * 16;
  };
  int64_t rules = 0;
  take(rules, count * static_cast<int64_t>(sizeof(StepRules)) + rows * kMostColumns * 8);
  offsets.rules_end = offsets.end;
  take(offsets.scales, count * 8);
  take(offsets.sizes, count * 8);
  take(offsets.features, rows * kNodeFeatures * 4);
  take(offsets.tsp, count);
  return offsets;
}

StepBatch::StepBatch(const StepBatchShape& shape, at::Device device)
    : shape_(shape),
      offsets_(LayOut(shape)),
      memory_(at::zeros({offsets_.end}, at::TensorOptions(at::kByte).device(device))) {}

TorchBatchParts StepBatch::PartsIn(const at::Tensor& memory) const {
  const int64_t count = shape_.instances;
  return {.features =
              Section(memory, offsets_.features, {count, shape_.nodes, kNodeFeatures}, at::kFloat),
          .sizes = Section(memory, offsets_.sizes, {count}, at::kLong),
          .tsp = Section(memory, offsets_.tsp, {count}, at::kBool)};
}

at::Tensor StepBatch::ScalesIn(const at::Tensor& memory) const {
  return Section(memory, offsets_.scales, {shape_.instances}, at::kDouble);
}

absl::Status StepBatch::Upload(const NetworkBatch& batch) {
  bool tsp = false;
  for (const RoutingProblem& problem : batch.problems) tsp = tsp || problem.tsp;
  if (batch.size() != shape_.instances || batch.longest() > shape_.nodes || (tsp && !shape_.tsp)) {
    return absl::InvalidArgumentError(Concat("step: got ", batch.size(), " instances of up to ",
                                             batch.longest(), " nodes", tsp ? " with a TSP" : "",
                                             ", wanted ", shape_.instances, " of up to ",
                                             shape_.nodes, shape_.tsp ? "" : " without one"));
  }
  const RulesImage image(batch, 0, batch.size());
  if (image.matrix_bytes() > 0 || image.bytes() > offsets_.rules_end) {
    return absl::InvalidArgumentError("step: instances with matrices, wanted coordinates alone");
  }
  // Torch gives page-locked memory out again only when the device has read it.
  at::Tensor host = at::zeros(
      {offsets_.end}, at::TensorOptions(at::kByte).pinned_memory(memory_.device().is_cuda()));
  image.Write(host.mutable_data_ptr<uint8_t>(), memory_.const_data_ptr<uint8_t>());
  const TorchBatchParts padded = PadBatch(batch, 0, batch.size(), shape_.nodes);
  const TorchBatchParts parts = PartsIn(host);
  parts.features.copy_(padded.features);
  parts.sizes.copy_(padded.sizes);
  parts.tsp.copy_(padded.tsp);
  const at::Tensor scales = ScalesIn(host);
  for (int32_t b = 0; b < batch.size(); ++b) {
    scales.mutable_data_ptr<double>()[b] = batch.problems[static_cast<size_t>(b)].scale;
  }
  memory_.copy_(host, /*non_blocking=*/true);
  return absl::OkStatus();
}

absl::Status StepBatch::Draw(const UniformInstances& drawn, const int64_t* batch) {
  auto* const rules = reinterpret_cast<StepRules*>(memory_.mutable_data_ptr<uint8_t>());
  const TorchBatchParts parts = PartsIn(memory_);
  const InstanceTask task = {.drawn = drawn,
                             .instances = shape_.instances,
                             .nodes = shape_.nodes,
                             .batch = batch,
                             .rules = rules,
                             .columns = reinterpret_cast<double*>(rules + shape_.instances),
                             .scales = scales().mutable_data_ptr<double>(),
                             .sizes = parts.sizes.mutable_data_ptr<int64_t>(),
                             .features = parts.features.mutable_data_ptr<float>(),
                             .tsp = parts.tsp.mutable_data_ptr<bool>()};
  const at::Device device = memory_.device();
  if (!device.is_cpu()) return DrawInstancesOnCuda(task, CurrentStream(device.index()));
  DrawInstancesOnCpu(task);
  return absl::OkStatus();
}

const StepRules* StepBatch::rules() const {
  return reinterpret_cast<const StepRules*>(memory_.const_data_ptr<uint8_t>());
}

at::Tensor StepBatch::scales() const { return ScalesIn(memory_); }

TorchBatch StepBatch::View(at::ScalarType type, bool edges) const {
  TorchBatch batch = CompleteBatch(PartsIn(memory_), type, shape_.tsp);
  if (edges) batch.edges = EdgesOf(PlaneDistances(batch.features));
  return batch;
}

int32_t StepBatch::max_steps() const {
  RoutingProblem customers;
  customers.nodes = shape_.nodes;
  RoutingProblem cities = customers;
  cities.tsp = true;
  return std::max({1, MaxTourSteps(customers), MaxTourSteps(cities)});
}

}  // namespace vrp
