#include "core/model/torch_steps.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

namespace vrp {
namespace {

constexpr int64_t kAlignment = 8;

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

StepBuffer::StepBuffer(StepReader reader, const StepShape& shape, at::TensorOptions options)
    : layout_{.reader = reader, .nodes = static_cast<int32_t>(shape.nodes)},
      shape_(shape),
      type_(c10::typeMetaToScalarType(options.dtype())) {
  const int64_t rows = shape.instances * shape.queries;
  const auto column = [&](int64_t& offset, int64_t elements, int64_t size) {
    offset = offsets_.end;
    offsets_.end += Aligned(elements * size);
  };
  const auto real = static_cast<int64_t>(c10::elementSize(type_));
  column(offsets_.current, rows, sizeof(int64_t));
  column(offsets_.first, rows, sizeof(int64_t));
  column(offsets_.given, rows, sizeof(int64_t));
  column(offsets_.uniforms, rows, sizeof(double));
  column(offsets_.shares, rows * SharesOf(reader), real);
  column(offsets_.dynamic, rows * shape.nodes * FeaturesOf(reader), real);
  column(offsets_.begins, rows, sizeof(bool));
  column(offsets_.forbidden, rows * shape.nodes, sizeof(bool));
  bytes_ = at::empty({offsets_.end},
                     at::TensorOptions(at::kByte).pinned_memory(options.device().is_cuda()));
  data_ = bytes_.mutable_data_ptr<uint8_t>();
  given_ = reinterpret_cast<int64_t*>(data_ + offsets_.given);
  uniforms_ = reinterpret_cast<double*>(data_ + offsets_.uniforms);
  std::fill_n(data_, offsets_.forbidden, uint8_t{0});
  std::fill_n(given_, rows, int64_t{-1});
  std::fill_n(data_ + offsets_.forbidden, rows * shape.nodes, uint8_t{1});
  for (int64_t row = 0; row < rows; ++row) data_[offsets_.forbidden + row * shape.nodes] = 0;
}

template <typename T>
StepColumns<T> StepBuffer::Columns() const {
  return {.current = reinterpret_cast<int64_t*>(data_ + offsets_.current),
          .first = reinterpret_cast<int64_t*>(data_ + offsets_.first),
          .begins = data_ + offsets_.begins,
          .shares = reinterpret_cast<T*>(data_ + offsets_.shares),
          .forbidden = data_ + offsets_.forbidden,
          .features = reinterpret_cast<T*>(data_ + offsets_.dynamic)};
}

bool StepBuffer::Observe(int64_t row, const StepRules& rules, const RouteState& state,
                         const uint8_t* visited) {
  const bool pointer = layout_.reader == StepReader::kPointer;
  const Sight sight = {.rules = rules,
                       .state = state,
                       .visited = visited,
                       .scale = pointer ? PointerScale(rules.problem) : 1};
  const auto write = [&](const auto& columns) {
    WriteStep(SerialGroup(), layout_, sight, columns.At(row, layout_));
  };
  type_ == at::kDouble ? write(Columns<double>()) : write(Columns<float>());
  const uint8_t* const forbidden = data_ + offsets_.forbidden + row * shape_.nodes;
  return std::find(forbidden, forbidden + shape_.nodes, uint8_t{0}) != forbidden + shape_.nodes;
}

DeviceSteps StepBuffer::Upload(Transfers& transfers) const {
  const at::Tensor bytes = transfers.ToDevice(bytes_);
  const int64_t count = shape_.instances;
  const int64_t queries = shape_.queries;
  const auto view = [&](int64_t offset, at::ScalarType type, std::vector<int64_t> sizes) {
    int64_t length = static_cast<int64_t>(c10::elementSize(type));
    for (const int64_t size : sizes) length *= size;
    return bytes.narrow(0, offset, length).view(type).view(sizes);
  };
  DeviceSteps steps;
  steps.inputs.current = view(offsets_.current, at::kLong, {count, queries});
  steps.inputs.first = view(offsets_.first, at::kLong, {count, queries});
  steps.inputs.begins = view(offsets_.begins, at::kBool, {count, queries});
  steps.inputs.shares = view(offsets_.shares, type_, {count, queries, SharesOf(layout_.reader)});
  steps.inputs.forbidden = view(offsets_.forbidden, at::kBool, {count, queries, shape_.nodes});
  if (const int64_t features = FeaturesOf(layout_.reader); features > 0) {
    steps.inputs.dynamic = view(offsets_.dynamic, type_, {count, queries, shape_.nodes, features});
  }
  steps.given = view(offsets_.given, at::kLong, {count, queries});
  steps.uniforms = view(offsets_.uniforms, at::kDouble, {count, queries});
  return steps;
}

}  // namespace vrp
