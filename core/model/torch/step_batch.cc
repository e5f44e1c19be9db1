#include "core/model/torch/step_batch.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device_stream.h"
#include "core/kernels/decoder/attention_decoder.h"
#include "core/model/torch/rules.h"

namespace vrp {
namespace {

// Maximum columns per node: coordinates (2), demand, backhaul, window (2) and service.
constexpr int64_t kMaxColumns = 7;
static_assert(kInstanceColumns <= kMaxColumns);
constexpr int64_t kMaxMatrices = 2;   // distances and durations
constexpr int64_t kLabelScalars = 4;  // number of LabelScalars

// Returns a view of `memory` from byte `offset` on, of the given shape and type.
at::Tensor Section(const at::Tensor& memory, int64_t offset, at::IntArrayRef shape,
                   at::ScalarType type) {
  int64_t bytes = static_cast<int64_t>(c10::elementSize(type));
  for (const int64_t extent : shape) bytes *= extent;
  return memory.narrow(0, offset, bytes).view(type).view(shape);
}

at::Tensor PartRows(const at::Tensor& all, InstanceRange range) {
  return all.narrow(0, range.first, range.count);
}

// Copies rows, then repeats the first one.
void CopyPadded(const at::Tensor& to, const at::Tensor& from) {
  const int64_t count = from.size(0);
  to.narrow(0, 0, count).copy_(from);
  to.narrow(0, count, to.size(0) - count).copy_(from.narrow(0, 0, 1));
}

}  // namespace

int32_t StepBatchShape::MaxSteps() const {
  RoutingProblem customers;
  customers.nodes = nodes;
  RoutingProblem cities = customers;
  cities.tsp = true;
  return std::max({1, MaxTourSteps(customers), MaxTourSteps(cities)});
}

StepBatch::Offsets StepBatch::LayOut() const {
  const int64_t count = shape_.instances;
  const int64_t rows = count * shape_.nodes;
  const int64_t pairs = shape_.matrices ? rows * shape_.nodes : 0;
  Offsets offsets;
  const auto take = [&offsets](int64_t& offset, int64_t bytes) {
    offset = offsets.end;
    offsets.end += (bytes + 15) / 16 * 16;
  };
  int64_t rules = 0;
  take(rules, count * static_cast<int64_t>(sizeof(StepRules)) +
                  (rows * kMaxColumns + pairs * kMaxMatrices) * 8);
  offsets.rules_end = offsets.end;
  take(offsets.scales, count * 8);
  take(offsets.scalars, shape_.labels ? kLabelScalars * 8 : 0);
  take(offsets.sizes, count * 8);
  take(offsets.features, rows * shape_.columns * 4);
  take(offsets.lengths, pairs * 4);
  take(offsets.choices, shape_.labels ? count * max_steps() * 4 : 0);
  take(offsets.tsp, count);
  return offsets;
}

StepBatch::StepBatch(const StepBatchShape& shape, at::Device device)
    : shape_(shape),
      offsets_(LayOut()),
      memory_(at::zeros({offsets_.end}, at::TensorOptions(at::kByte).device(device))) {}

TorchBatchParts StepBatch::PartsIn(const at::Tensor& memory) const {
  const int64_t count = shape_.instances;
  return {.features =
              Section(memory, offsets_.features, {count, shape_.nodes, shape_.columns}, at::kFloat),
          .sizes = Section(memory, offsets_.sizes, {count}, at::kLong),
          .tsp = Section(memory, offsets_.tsp, {count}, at::kBool)};
}

at::Tensor StepBatch::LengthsIn(const at::Tensor& memory) const {
  const int64_t nodes = shape_.nodes;
  return Section(memory, offsets_.lengths, {shape_.instances, nodes, nodes}, at::kFloat);
}

at::Tensor StepBatch::ScalesIn(const at::Tensor& memory) const {
  return Section(memory, offsets_.scales, {shape_.instances}, at::kDouble);
}

at::Tensor StepBatch::ChoicesIn(const at::Tensor& memory) const {
  return Section(memory, offsets_.choices, {shape_.instances, 1, max_steps()}, at::kInt);
}

at::Tensor StepBatch::ScalarsIn(const at::Tensor& memory) const {
  return Section(memory, offsets_.scalars, {kLabelScalars}, at::kDouble);
}

absl::Status StepBatch::Check(const NetworkBatch& batch, const StepLabels* labels) const {
  bool tsp = false;
  for (const RoutingProblem& problem : batch.problems) tsp = tsp || problem.tsp;
  const bool fits = shape_.allow_smaller ? batch.size() > 0 && batch.size() <= shape_.instances
                                         : batch.size() == shape_.instances;
  if (!fits || batch.longest() > shape_.nodes || (tsp && !shape_.tsp)) {
    return absl::InvalidArgumentError(Concat("step: got ", batch.size(), " instances of up to ",
                                             batch.longest(), " nodes", tsp ? " with a TSP" : "",
                                             ", wanted ", shape_.allow_smaller ? "at most " : "",
                                             shape_.instances, " of up to ", shape_.nodes, " nodes",
                                             shape_.tsp ? "" : " without a TSP"));
  }
  if (batch.columns != shape_.columns) {
    return absl::InvalidArgumentError(
        Concat("step: got ", batch.columns, " features per node, wanted ", shape_.columns));
  }
  if (labels == nullptr) return absl::OkStatus();
  const int64_t longest = MaxChoices(*labels);
  if (std::ssize(labels->choices) != batch.size() || std::ssize(labels->choices) == 0 ||
      longest > max_steps()) {
    return absl::InvalidArgumentError(Concat("step: got ", labels->choices.size(),
                                             " labels of up to ", longest, " choices, wanted ",
                                             batch.size(), " of up to ", max_steps()));
  }
  return absl::OkStatus();
}

absl::Status StepBatch::Upload(const NetworkBatch& batch, const StepLabels* labels) {
  VRP_RETURN_IF_ERROR(Check(batch, labels));
  const RulesImage image(batch, 0, batch.size(), shape_.instances);
  if ((!shape_.matrices && image.matrix_bytes() > 0) || image.bytes() > offsets_.rules_end) {
    return absl::InvalidArgumentError("step: got instances with matrices, wanted only coordinates");
  }
  // Torch reuses page-locked memory only after the device has read it.
  at::Tensor host = at::zeros(
      {offsets_.end}, at::TensorOptions(at::kByte).pinned_memory(memory_.device().is_cuda()));
  image.Write(host.mutable_data_ptr<uint8_t>(), memory_.const_data_ptr<uint8_t>());
  const TorchBatchParts known = PadBatch(batch, 0, batch.size(), shape_.nodes);
  const TorchBatchParts parts = PartsIn(host);
  CopyPadded(parts.features, known.features);
  CopyPadded(parts.sizes, known.sizes);
  CopyPadded(parts.tsp, known.tsp);
  const at::Tensor scales = ScalesIn(host);
  for (int32_t b = 0; b < batch.size(); ++b) {
    scales.mutable_data_ptr<double>()[b] = batch.problems[static_cast<size_t>(b)].scale;
  }
  matrix_bytes_ = image.matrix_bytes();
  if (shape_.matrices) {
    const at::Tensor lengths = LengthsIn(host);
    CopyPadded(lengths, PadGivenLengths(batch, 0, batch.size(), shape_.nodes));
    matrix_bytes_ += static_cast<int64_t>(lengths.nbytes());
  }
  if (labels != nullptr) WriteLabels(*labels, host);
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
                             .scales = ScalesIn(memory_).mutable_data_ptr<double>(),
                             .sizes = parts.sizes.mutable_data_ptr<int64_t>(),
                             .features = parts.features.mutable_data_ptr<float>(),
                             .tsp = parts.tsp.mutable_data_ptr<bool>()};
  const at::Device device = memory_.device();
  if (!device.is_cpu()) return DrawInstancesOnCuda(task, CurrentStream(device.index()));
  DrawInstancesOnCpu(task);
  return absl::OkStatus();
}

void StepBatch::WriteLabels(const StepLabels& labels, const at::Tensor& host) const {
  const at::Tensor choices = ChoicesIn(host).fill_(-1);
  auto* row = choices.mutable_data_ptr<int32_t>();
  for (const std::vector<int32_t>& one : labels.choices) {
    std::copy(one.begin(), one.end(), row);
    row += max_steps();
  }
  auto* const scalars = ScalarsIn(host).mutable_data_ptr<double>();
  scalars[0] = -1 / static_cast<double>(labels.steps);
  scalars[1] = labels.teacher_forcing;
  scalars[2] = labels.cost;
  scalars[3] = static_cast<double>(labels.choices.size());
}

at::Tensor StepBatch::choices(InstanceRange range) const {
  return PartRows(ChoicesIn(memory_), range);
}

LabelScalars StepBatch::scalars() const {
  const at::Tensor scalars = ScalarsIn(memory_);
  return {.weight = scalars[0],
          .teacher_forcing = scalars[1],
          .cost = scalars[2],
          .instances = scalars[3]};
}

const StepRules* StepBatch::rules(InstanceRange range) const {
  return reinterpret_cast<const StepRules*>(memory_.const_data_ptr<uint8_t>()) + range.first;
}

at::Tensor StepBatch::scales(InstanceRange range) const {
  return PartRows(ScalesIn(memory_), range);
}

TorchBatch StepBatch::View(InstanceRange range, at::ScalarType type, bool edges) const {
  const TorchBatchParts all = PartsIn(memory_);
  TorchBatch batch = CompleteBatch({.features = PartRows(all.features, range),
                                    .sizes = PartRows(all.sizes, range),
                                    .tsp = PartRows(all.tsp, range)},
                                   type, shape_.tsp);
  if (!edges) return batch;
  batch.edges =
      EdgesOf(shape_.matrices ? GivenDistances(batch.features, PartRows(LengthsIn(memory_), range))
                              : EuclideanDistances(batch.features));
  return batch;
}

}  // namespace vrp
