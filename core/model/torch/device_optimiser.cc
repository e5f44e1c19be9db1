#include "core/model/torch/device_optimiser.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "core/device/device_stream.h"

namespace vrp {
namespace {

// Maximum number of elements of a piece, small enough that every multiprocessor gets some pieces.
constexpr int32_t kElementsAPiece = 4096;

template <typename T>
at::Tensor BytesOf(std::span<const T> values, at::Device device) {
  const auto bytes = static_cast<int64_t>(values.size_bytes());
  at::Tensor host = at::empty({bytes}, at::kByte);
  std::memcpy(host.mutable_data_ptr<uint8_t>(), values.data(), values.size_bytes());
  return host.to(device);
}

at::Tensor HostView(std::span<float> values) {
  return at::from_blob(values.data(), {std::ssize(values)}, at::kFloat);
}

}  // namespace

DeviceOptimiser::DeviceOptimiser(const TorchParameters& parameters, const ParameterLayout& layout,
                                 const DeviceOptimiserOptions& options, const LossScaler* scaler)
    : parameters_(parameters),
      options_{.adamw = options.adamw,
               .clip = options.clip,
               .average_decay = options.average_decay,
               .learning_rates = {}},
      scaler_(scaler),
      mean_(at::zeros_like(parameters.flat())),
      square_(at::zeros_like(mean_)),
      sums_(at::empty({NormBlocks(layout.size())}, mean_.options().dtype(at::kDouble))),
      rates_(BytesOf(options.learning_rates, mean_.device()).view(at::kDouble)),
      state_(at::zeros({sizeof(OptimiserState)}, mean_.options().dtype(at::kByte))) {
  const std::vector<UpdatePiece> pieces = UpdatePieces(layout, kElementsAPiece);
  pieces_ = BytesOf(std::span<const UpdatePiece>(pieces), mean_.device());
  if (options_.average_decay > 0) average_ = at::zeros_like(mean_);
}

OptimiserState* DeviceOptimiser::state() const {
  return reinterpret_cast<OptimiserState*>(state_.mutable_data_ptr<uint8_t>());
}

void DeviceOptimiser::Load(const CapturedStepsState& state) {
  OptimiserState begun;
  begun.steps = state.steps;
  begun.updates = state.updates;
  state_.copy_(BytesOf(std::span<const OptimiserState>(&begun, 1), at::kCPU));
  mean_.copy_(HostView(state.mean));
  square_.copy_(HostView(state.square));
  if (average_.defined()) average_.copy_(HostView(state.weight_average));
}

void DeviceOptimiser::Save(CapturedStepsState& state) const {
  HostView(state.mean).copy_(mean_);
  HostView(state.square).copy_(square_);
  if (average_.defined()) HostView(state.weight_average).copy_(average_);
  OptimiserState ended;
  const at::Tensor host = state_.cpu();
  std::memcpy(&ended, host.const_data_ptr<uint8_t>(), sizeof(ended));
  state.steps = ended.steps;
  state.updates = ended.updates;
}

OptimiserTask DeviceOptimiser::Task(const at::Tensor& loss) const {
  OptimiserTask task = {
      .size = mean_.numel(),
      .arrays = {.values = parameters_.flat().mutable_data_ptr<float>(),
                 .gradient = parameters_.gradient().const_data_ptr<float>(),
                 .mean = mean_.mutable_data_ptr<float>(),
                 .square = square_.mutable_data_ptr<float>()},
      .pieces = reinterpret_cast<const UpdatePiece*>(pieces_.const_data_ptr<uint8_t>()),
      .piece_count =
          static_cast<int32_t>(pieces_.numel() / static_cast<int64_t>(sizeof(UpdatePiece))),
      .sums = sums_.mutable_data_ptr<double>(),
      .rates = rates_.const_data_ptr<double>(),
      .rate_count = rates_.numel(),
      .loss = loss.const_data_ptr<double>(),
      .loss_scale = {},
      .adamw = options_.adamw,
      .clip = options_.clip,
      .average_decay = options_.average_decay,
      .state = state()};
  if (average_.defined()) task.average = average_.mutable_data_ptr<float>();
  if (scaler_ != nullptr) task.loss_scale = scaler_->OnDevice();
  return task;
}

absl::Status DeviceOptimiser::Step(const at::Tensor& loss) const {
  const OptimiserTask task = Task(loss);
  const at::Device device = mean_.device();
  if (!device.is_cpu()) return OptimiseOnCuda(task, CurrentStream(device.index()));
  OptimiseOnCpu(task);
  return absl::OkStatus();
}

const int64_t* DeviceOptimiser::steps() const { return &state()->steps; }

at::Tensor DeviceOptimiser::Steps() const {
  return state_.narrow(0, offsetof(OptimiserState, steps), 8).view(at::kLong).squeeze(0);
}
at::Tensor DeviceOptimiser::Norm() const {
  return state_.narrow(0, offsetof(OptimiserState, norm), 8).view(at::kDouble).squeeze(0);
}
at::Tensor DeviceOptimiser::Applied() const {
  return state_.narrow(0, offsetof(OptimiserState, is_applied), 4).view(at::kInt).squeeze(0);
}

}  // namespace vrp
