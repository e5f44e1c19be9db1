#include "core/model/torch/precision.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include <cstdlib>

namespace vrp {
namespace {

at::ScalarType TypeOf(Precision precision) {
  return precision == Precision::kFp16 ? at::kHalf : at::kBFloat16;
}

}  // namespace

AutocastScope::AutocastScope(at::DeviceType device, Precision precision)
    : device_(device),
      on_(precision != Precision::kFp32),
      was_on_(at::autocast::is_autocast_enabled(device)),
      type_before_(at::autocast::get_autocast_dtype(device)) {
  if (!on_) return;
  at::autocast::set_autocast_dtype(device_, TypeOf(precision));
  at::autocast::set_autocast_enabled(device_, true);
}

AutocastScope::~AutocastScope() {
  if (!on_) return;
  at::autocast::clear_cache();  // weights change before the next step
  at::autocast::set_autocast_enabled(device_, was_on_);
  at::autocast::set_autocast_dtype(device_, type_before_);
}

void ApplyTorchSwitches(const EngineOptions& options) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(options.allow_tf32);
  context.setAllowTF32CuDNN(options.allow_tf32);
  // Torch prefers cuDNN's attention on Hopper in bf16. For each new shape of a batch and for each
  // thread, cuDNN builds a plan in some 30 ms. Torch throws if a bias of odd length has no plan.
  context.setSDPUseCuDNN(false);
  if (!options.deterministic) return;
  // cuBLAS reads this variable when its handle is created.
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  context.setDeterministicAlgorithms(true, false);
  context.setDeterministicCuDNN(true);
  context.setBenchmarkCuDNN(false);
}

LossScaler::LossScaler(const Options& options, at::Device device)
    : options_(options),
      scale_(at::full({}, options.first_scale, at::TensorOptions(at::kFloat).device(device))),
      steps_(at::zeros({}, at::TensorOptions(at::kInt).device(device))) {}

at::Tensor LossScaler::Scale(const at::Tensor& loss) const { return loss * scale_; }

bool LossScaler::Unscale(at::Tensor gradient) {
  const c10::NoGradGuard no_gradients;
  at::Tensor overflow = at::zeros({}, scale_.options());
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  at::_amp_foreach_non_finite_check_and_unscale_({gradient}, overflow, inverse);
  at::_amp_update_scale_(scale_, steps_, overflow, options_.growth, options_.backoff,
                         options_.growth_interval);
  const bool no_overflow = overflow.item<float>() == 0;
  if (!no_overflow) gradient.zero_();
  return no_overflow;
}

LossScale LossScaler::OnDevice() const {
  return {.scale = scale_.mutable_data_ptr<float>(),
          .steps = steps_.mutable_data_ptr<int32_t>(),
          .growth = options_.growth,
          .backoff = options_.backoff,
          .growth_interval = static_cast<int32_t>(options_.growth_interval)};
}

std::map<std::string, double> LossScaler::ScalarState() const {
  return {{"loss_scale", scale_.item<double>()}, {"loss_scale_steps", steps_.item<double>()}};
}

void LossScaler::Restore(const std::map<std::string, double>& numbers) {
  scale_.fill_(numbers.at("loss_scale"));
  steps_.fill_(numbers.at("loss_scale_steps"));
}

}  // namespace vrp
