#include "core/model/torch/parameters.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cstdlib>
#include <span>

namespace vrp {
namespace {

// Returns a tensor over memory that it does not own.
at::Tensor ViewOf(std::span<float> values) {
  return at::from_blob(values.data(), {std::ssize(values)}, at::kFloat);
}

}  // namespace

TorchParameters::TorchParameters(FlatParameters* host, at::TensorOptions options)
    : host_(host),
      shared_(options.device().is_cpu() &&
              c10::typeMetaToScalarType(options.dtype()) == at::kFloat) {
  flat_ = shared_ ? ViewOf(host->values()) : at::empty({host->size()}, options);
  Upload();
  for (const ParameterShape& shape : host->layout().shapes()) {
    const int64_t offset = host->layout().Offset(shape.name);
    leaves_.push_back(
        flat_.narrow(0, offset, ParameterLayout::Elements(shape)).view(shape.shape).detach());
  }
}

const at::Tensor& TorchParameters::Get(std::string_view name) const {
  const std::span<const ParameterShape> shapes = host_->layout().shapes();
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].name == name) return leaves_[i];
  }
  std::abort();
}

int64_t TorchParameters::Upload() {
  if (shared_) {
    if (flat_.const_data_ptr() == host_->values().data()) return 0;
    // FlatParameters::Load and assignments may move the values elsewhere.
    flat_.set_data(ViewOf(host_->values()));
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const ParameterShape& shape = host_->layout().shapes()[i];
      leaves_[i].set_data(flat_.narrow(0, host_->layout().Offset(shape.name), leaves_[i].numel())
                              .view(shape.shape));
    }
    return 0;
  }
  const c10::NoGradGuard no_gradients;
  flat_.copy_(ViewOf(host_->values()));
  return flat_.is_cpu() ? 0 : flat_.numel() * static_cast<int64_t>(sizeof(float));
}

void TorchParameters::Download() {
  const c10::NoGradGuard no_gradients;
  if (!shared_) ViewOf(host_->values()).copy_(flat_);
}

void TorchParameters::TrackGradient() {
  if (gradient_.defined()) return;
  gradient_ = at::zeros_like(flat_);
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const ParameterShape& shape = host_->layout().shapes()[i];
    if (shape.frozen) continue;
    leaves_[i].set_requires_grad(true);
    leaves_[i].mutable_grad() =
        gradient_.narrow(0, host_->layout().Offset(shape.name), leaves_[i].numel())
            .view(shape.shape);
  }
}

int64_t TorchParameters::DownloadGradient() {
  const c10::NoGradGuard no_gradients;
  ViewOf(host_->gradient()).add_(gradient_.to(at::kCPU, at::kFloat));
  return flat_.is_cpu() ? 0 : flat_.numel() * gradient_.element_size();
}

}  // namespace vrp
