#include "core/model/torch/lstm.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/device/device_stream.h"
#include "core/kernels/dropout/dropout_mask.h"

namespace vrp {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr size_t kLayerWeights = 4;  // number of tensors per layer in LstmRun::weights
constexpr char kInverse[] = "inverse";
// Bound of the largest element of the outputs' gradient times the number of steps and sequences. A
// weight's gradient is a sum over them and must stay below 65504. The rest is for growth on the way
// through steps and layers.
constexpr double kLargestScaledSum = 4096;

// Rounds a tensor to fp16. Multiplies the gradient by `inverse` [], which the backward pass of
// FromHalf has written.
class ToHalf : public torch::autograd::Function<ToHalf> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& values,
                            const at::Tensor& inverse) {
    context->saved_data[kInverse] = inverse;
    return values.to(at::kHalf);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor inverse = context->saved_data[kInverse].toTensor();
    return {gradients[0].to(at::kFloat) * inverse, at::Tensor()};
  }
};

// Converts fp16 outputs [T, R, H] to float32. Scales their gradient to fp16's range and writes the
// scale's reciprocal to `inverse` [].
class FromHalf : public torch::autograd::Function<FromHalf> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& values,
                            const at::Tensor& inverse) {
    context->saved_data[kInverse] = inverse;
    return values.to(at::kFloat);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor inverse = context->saved_data[kInverse].toTensor();
    const at::Tensor& gradient = gradients[0];
    const auto terms = static_cast<double>(gradient.size(0) * gradient.size(1));
    const double largest = std::min(1.0, kLargestScaledSum / std::max(terms, 1.0));
    constexpr double kTiny = 1e-30;  // keeps the scale of a gradient of zeros finite
    inverse.copy_(gradient.abs().max().clamp_min(kTiny) / largest);
    return {(gradient / inverse).to(at::kHalf), at::Tensor()};
  }
};

// The conversions of one LSTM between float32 and the type in which it computes.
class LstmTypes {
 public:
  explicit LstmTypes(const LstmRun& run)
      : type_(run.half ? at::kHalf : run.weights[0].scalar_type()),
        inverse_(run.half ? at::empty({}, run.weights[0].options().dtype(at::kFloat))
                          : at::Tensor()) {}

  at::ScalarType type() const { return type_; }
  at::Tensor Into(const at::Tensor& values) const {
    return inverse_.defined() ? ToHalf::apply(values, inverse_) : values.to(type_);
  }
  at::Tensor OutOf(const at::Tensor& values) const {
    return inverse_.defined() ? FromHalf::apply(values, inverse_) : values;
  }

 private:
  const at::ScalarType type_;
  const at::Tensor inverse_;  // [] float32; undefined without fp16
};

// Returns the factors [T, R, H] by which dropout multiplies the `inputs` of layer `layer`.
at::Tensor DropoutFactors(const at::Tensor& inputs, const LstmDropout& dropout, int64_t layer) {
  const c10::DeviceGuard guard(inputs.device());
  const at::Tensor factors = at::empty(inputs.sizes(), inputs.options().dtype(at::kFloat));
  const DropoutMask mask = {.key = {.seed = dropout.draws.seed,
                                    .stream = dropout.draws.stream,
                                    .sequence = dropout.draws.first_instance * dropout.trajectories,
                                    .layer = static_cast<int32_t>(layer),
                                    .decoder = dropout.decoder},
                            .steps = dropout.draws.steps,
                            .rate = DropoutRateOf(dropout.share),
                            .length = static_cast<int32_t>(inputs.size(0)),
                            .sequences = static_cast<int32_t>(inputs.size(1)),
                            .hidden = static_cast<int32_t>(inputs.size(2)),
                            .factors = factors.mutable_data_ptr<float>()};
  if (inputs.is_cpu()) {
    WriteMaskOnCpu(mask);
    return factors;
  }
  const absl::Status status = WriteMaskOnCuda(mask, CurrentStream(inputs.device().index()));
  TORCH_CHECK(status.ok(), status.message());
  return factors;
}

// Returns the weights of one layer as views of one tensor in cuDNN's order, which cuDNN otherwise
// copies at every call.
std::vector<at::Tensor> PackedWeights(at::TensorList weights, const LstmTypes& types) {
  std::vector<at::Tensor> flat;
  std::vector<int64_t> sizes;
  for (const at::Tensor& one : weights) {
    flat.push_back(one.flatten());
    sizes.push_back(one.numel());
  }
  std::vector<at::Tensor> packed = types.Into(at::cat(flat)).split_with_sizes(sizes);
  for (size_t i = 0; i < packed.size(); ++i) packed[i] = packed[i].view_as(weights[i]);
  return packed;
}

at::Tensor RunLayers(const at::Tensor& inputs, at::TensorList state, at::TensorList weights) {
  // cuDNN needs training mode for a backward pass.
  const bool train = c10::GradMode::is_enabled();
  return std::get<0>(at::lstm(inputs, state, weights, true,
                              static_cast<int64_t>(weights.size() / kLayerWeights), 0, train, false,
                              false));
}

}  // namespace

PausedAutocast::PausedAutocast(at::DeviceType device)
    : device_(device), was_on_(at::autocast::is_autocast_enabled(device)) {
  if (was_on_) at::autocast::set_autocast_enabled(device, false);
}

PausedAutocast::~PausedAutocast() { at::autocast::set_autocast_enabled(device_, was_on_); }

std::vector<at::Tensor> LstmParameters(const TorchParameters& parameters, std::string_view prefix,
                                       int32_t layers) {
  std::vector<at::Tensor> list;
  for (int32_t layer = 0; layer < layers; ++layer) {
    for (const char* part : {".weight_ih_l", ".weight_hh_l", ".bias_ih_l", ".bias_hh_l"}) {
      list.push_back(parameters.Get(Concat(prefix, part, layer)));
    }
  }
  return list;
}

at::Tensor RunLstm(LstmRun run) {
  const PausedAutocast paused(run.inputs.device().type());
  if (paused.was_on() && run.inputs.is_cuda()) run.half = true;
  const LstmTypes types(run);
  const at::Tensor hidden = types.Into(run.hidden).contiguous();
  const at::Tensor cell = types.Into(run.cell).contiguous();
  at::Tensor values = types.Into(run.inputs).contiguous();
  if (run.dropout.share == 0 && !run.half) return RunLayers(values, {hidden, cell}, run.weights);
  const at::TensorList weights = run.weights;
  for (int64_t layer = 0; layer < hidden.size(0); ++layer) {
    if (layer > 0 && run.dropout.share > 0) {
      values = (values * DropoutFactors(values, run.dropout, layer)).to(types.type());
    }
    const size_t first = kLayerWeights * static_cast<size_t>(layer);
    values = RunLayers(values, {hidden.narrow(0, layer, 1), cell.narrow(0, layer, 1)},
                       PackedWeights(weights.slice(first, kLayerWeights), types));
  }
  return types.OutOf(values);
}

}  // namespace vrp
