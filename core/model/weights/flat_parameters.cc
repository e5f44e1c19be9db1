#include "core/model/weights/flat_parameters.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/random.h"
#include "core/base/text.h"

namespace vrp {
namespace {

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += Concat(text.size() > 1 ? ", " : "", extent);
  return text + "]";
}

absl::Status CheckTensor(const ParameterShape& wanted, const TensorView* tensor,
                         std::string_view file) {
  if (tensor == nullptr) {
    return absl::InvalidArgumentError(
        Concat(file, ": ", wanted.name, ": missing, wanted F32", ShapeText(wanted.shape)));
  }
  if (tensor->type != TensorType::kFloat32 || tensor->shape != wanted.shape) {
    return absl::InvalidArgumentError(Concat(file, ": ", wanted.name, ": got ",
                                             TensorTypeName(tensor->type), ShapeText(tensor->shape),
                                             ", wanted F32", ShapeText(wanted.shape)));
  }
  for (size_t at = 0; at < tensor->data.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, tensor->data.data() + at, sizeof(value));
    if (std::isfinite(value)) continue;
    return absl::InvalidArgumentError(Concat(file, ": ", wanted.name, "[", at / sizeof(float),
                                             "]: got ", value, ", wanted a finite number"));
  }
  return absl::OkStatus();
}

}  // namespace

ParameterLayout::ParameterLayout(std::vector<ParameterShape> shapes) : shapes_(std::move(shapes)) {
  for (const ParameterShape& shape : shapes_) {
    offsets_.push_back(size_);
    size_ += Elements(shape);
  }
}

int64_t ParameterLayout::Elements(const ParameterShape& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape.shape) count *= extent;
  return count;
}

int64_t ParameterLayout::Offset(std::string_view name) const {
  for (size_t i = 0; i < shapes_.size(); ++i) {
    if (shapes_[i].name == name) return offsets_[i];
  }
  std::abort();
}

std::vector<UpdatePiece> UpdatePieces(const ParameterLayout& layout, int32_t largest) {
  std::vector<UpdatePiece> pieces;
  int64_t at = 0;
  for (const ParameterShape& shape : layout.shapes()) {
    const int64_t end = at + ParameterLayout::Elements(shape);
    const bool decays = shape.shape.size() >= 2;
    for (int64_t first = at; !shape.frozen && first < end; first += largest) {
      const auto count = static_cast<int32_t>(std::min<int64_t>(largest, end - first));
      pieces.push_back({.first = first, .count = count, .decays = decays});
    }
    at = end;
  }
  return pieces;
}

FlatParameters::FlatParameters(ParameterLayout layout, uint64_t seed)
    : layout_(std::move(layout)), values_(static_cast<size_t>(layout_.size())) {
  auto next = values_.begin();
  for (size_t i = 0; i < layout_.shapes().size(); ++i) {
    const ParameterShape& shape = layout_.shapes()[i];
    CounterRandom random(seed, i);
    for (int64_t k = ParameterLayout::Elements(shape); k > 0; --k) {
      *next++ = static_cast<float>(shape.offset + (2 * random.UniformDouble() - 1) * shape.bound);
    }
  }
}

std::span<const float> FlatParameters::Get(std::string_view name) const {
  for (const ParameterShape& shape : layout_.shapes()) {
    if (shape.name != name) continue;
    return values().subspan(static_cast<size_t>(layout_.Offset(name)),
                            static_cast<size_t>(ParameterLayout::Elements(shape)));
  }
  std::abort();
}

void FlatParameters::TrackGradient() { gradient_.assign(values_.size(), 0); }

std::string FlatParameters::Save(std::span<const float> values) const {
  const auto bytes = std::as_bytes(values);
  std::vector<TensorView> tensors;
  size_t offset = 0;
  for (const ParameterShape& shape : layout_.shapes()) {
    const auto length = static_cast<size_t>(ParameterLayout::Elements(shape)) * sizeof(float);
    tensors.push_back(
        {shape.name, TensorType::kFloat32, shape.shape, bytes.subspan(offset, length)});
    offset += length;
  }
  return WriteSafetensors(tensors, {{"format", "vrp"}});
}

absl::Status CheckParameters(const ParameterLayout& layout, const SafetensorsFile& file,
                             std::string_view name) {
  for (const TensorView& tensor : file.tensors()) {
    const bool known =
        std::any_of(layout.shapes().begin(), layout.shapes().end(),
                    [&](const ParameterShape& shape) { return shape.name == tensor.name; });
    if (!known) {
      return absl::InvalidArgumentError(
          Concat(name, ": ", Quoted(tensor.name), ": this network has no such parameter"));
    }
  }
  for (const ParameterShape& shape : layout.shapes()) {
    const absl::Status status = CheckTensor(shape, file.Find(shape.name), name);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status FlatParameters::Load(const SafetensorsFile& file, std::string_view name) {
  if (absl::Status status = CheckParameters(layout_, file, name); !status.ok()) return status;
  float* next = values_.data();
  for (const ParameterShape& shape : layout_.shapes()) {
    const std::span<const std::byte> data = file.Find(shape.name)->data;
    std::memcpy(next, data.data(), data.size());
    next += ParameterLayout::Elements(shape);
  }
  return absl::OkStatus();
}

}  // namespace vrp
