#include "core/model/parameter_store.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/random.h"
#include "core/base/text.h"

namespace vrp {
namespace {

int64_t Count(const ParameterSpec& spec) {
  int64_t count = 1;
  for (const int64_t extent : spec.shape) count *= extent;
  return count;
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) text += Concat(text.size() > 1 ? ", " : "", extent);
  return text + "]";
}

absl::Status CheckTensor(const ParameterSpec& spec, const TensorView* tensor,
                         std::string_view file) {
  if (tensor == nullptr) {
    return absl::InvalidArgumentError(Concat(file, ": ", spec.name, ": missing"));
  }
  if (tensor->type != TensorType::kFloat32 || tensor->shape != spec.shape) {
    return absl::InvalidArgumentError(Concat(file, ": ", spec.name, ": got ",
                                             TensorTypeName(tensor->type), ShapeText(tensor->shape),
                                             ", wanted F32", ShapeText(spec.shape)));
  }
  for (size_t at = 0; at < tensor->data.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, tensor->data.data() + at, sizeof(value));
    if (std::isfinite(value)) continue;
    return absl::InvalidArgumentError(
        Concat(file, ": ", spec.name, "[", at / sizeof(float), "]: not a finite number"));
  }
  return absl::OkStatus();
}

}  // namespace

ParameterStore::ParameterStore(std::vector<ParameterSpec> specs, at::TensorOptions options,
                               uint64_t seed)
    : specs_(std::move(specs)) {
  int64_t total = 0;
  for (const ParameterSpec& spec : specs_) total += Count(spec);
  at::Tensor values = at::empty({total}, at::kFloat);
  float* next = values.mutable_data_ptr<float>();
  for (size_t i = 0; i < specs_.size(); ++i) {
    CounterRandom random(seed, i);
    for (int64_t k = Count(specs_[i]); k > 0; --k) {
      *next++ = static_cast<float>((2 * random.UniformDouble() - 1) * specs_[i].bound);
    }
  }
  flat_ = values.to(options).clone();
  int64_t offset = 0;
  for (const ParameterSpec& spec : specs_) {
    views_.push_back(flat_.narrow(0, offset, Count(spec)).view(spec.shape).detach());
    offset += Count(spec);
  }
}

const at::Tensor& ParameterStore::Get(std::string_view name) const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].name == name) return views_[i];
  }
  std::abort();
}

void ParameterStore::TrackGradients() {
  gradient_ = at::zeros_like(flat_);
  int64_t offset = 0;
  for (size_t i = 0; i < specs_.size(); ++i) {
    views_[i].set_requires_grad(true);
    views_[i].mutable_grad() = gradient_.narrow(0, offset, Count(specs_[i])).view(specs_[i].shape);
    offset += Count(specs_[i]);
  }
}

void ParameterStore::CopyFrom(const ParameterStore& other) {
  const c10::NoGradGuard no_gradients;
  flat_.copy_(other.flat_);
}

std::string ParameterStore::Save() const {
  const at::Tensor values = flat_.to(at::kCPU, at::kFloat).contiguous();
  const auto bytes =
      std::as_bytes(std::span(values.const_data_ptr<float>(), static_cast<size_t>(values.numel())));
  std::vector<TensorView> tensors;
  size_t offset = 0;
  for (const ParameterSpec& spec : specs_) {
    const size_t length = static_cast<size_t>(Count(spec)) * sizeof(float);
    tensors.push_back({spec.name, TensorType::kFloat32, spec.shape, bytes.subspan(offset, length)});
    offset += length;
  }
  return WriteSafetensors(tensors, {{"format", "vrp"}});
}

absl::Status ParameterStore::Load(const SafetensorsFile& file, std::string_view name) {
  for (const TensorView& tensor : file.tensors()) {
    const bool known = std::any_of(specs_.begin(), specs_.end(), [&](const ParameterSpec& spec) {
      return spec.name == tensor.name;
    });
    if (!known) {
      return absl::InvalidArgumentError(
          Concat(name, ": ", Quoted(tensor.name), ": this network has no such parameter"));
    }
  }
  at::Tensor values = at::empty({size()}, at::kFloat);
  float* next = values.mutable_data_ptr<float>();
  for (const ParameterSpec& spec : specs_) {
    const TensorView* tensor = file.Find(spec.name);
    if (absl::Status status = CheckTensor(spec, tensor, name); !status.ok()) return status;
    std::memcpy(next, tensor->data.data(), tensor->data.size());
    next += Count(spec);
  }
  const c10::NoGradGuard no_gradients;
  flat_.copy_(values);
  return absl::OkStatus();
}

}  // namespace vrp
