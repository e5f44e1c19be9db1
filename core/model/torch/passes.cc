#include "core/model/torch/passes.h"

#include <ATen/ATen.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/device/device_stream.h"

namespace vrp {

namespace {

// Returns a function that allocates by torch. Torch bounds its share of the device's memory and
// owns the memory of graphs.
DeviceAllocator BytesOn(at::Device device) {
  return [device](int64_t bytes) {
    const auto tensor = std::make_shared<at::Tensor>(
        at::empty({bytes}, at::TensorOptions(at::kByte).device(device)));
    return std::shared_ptr<uint8_t>(tensor, tensor->mutable_data_ptr<uint8_t>());
  };
}

}  // namespace

RolloutMemory::RolloutMemory(int64_t rows, int32_t max_steps, at::Device device)
    : rows_(rows),
      max_steps_(max_steps),
      bytes_(at::empty({rows * (2 * 8 + 3 * 4 + int64_t{max_steps} * 4)},
                       at::TensorOptions(at::kByte).device(device))) {}

BatchRolloutResult RolloutViews(uint8_t* base, int64_t rows, int32_t max_steps) {
  BatchRolloutResult result;
  const auto take = [&base](auto*& column, int64_t count) {
    using Value = std::remove_reference_t<decltype(*column)>;
    column = reinterpret_cast<Value*>(base);
    base += count * static_cast<int64_t>(sizeof(Value));
  };
  take(result.costs, rows);
  take(result.log_likelihoods, rows);
  take(result.lengths, rows);
  take(result.agreements, rows);
  take(result.ends, rows);
  take(result.choices, rows * max_steps);
  return result;
}

template <typename T>
FusedPasses<T>::FusedPasses(const DecoderProjections& projections, const StepRules* rules,
                            bool deterministic)
    : projections_(projections),
      rules_(rules),
      rows_(projections.rows.detach().contiguous()),
      base_(projections.base.detach().contiguous()),
      start_(projections.start.detach().contiguous()),
      shares_(projections.shares.detach().contiguous()) {
  if constexpr (std::is_same_v<T, float>) {
    const at::Device device = rows_.device();
    if (!device.is_cpu()) {
      decoder_ = MakeCudaBatchDecoder({.stream = CurrentStream(device.index()),
                                       .deterministic = deterministic,
                                       .coarse = projections.computed != at::kFloat,
                                       .bf16 = projections.computed == at::kBFloat16,
                                       .allocate = BytesOn(device)});
    }
  }
  if (decoder_ == nullptr) decoder_ = MakeSerialBatchDecoder<T>();
}

template <typename T>
absl::StatusOr<PassGradient> FusedPasses<T>::SecondPass(const BatchSecondPassRequest& request,
                                                        double* log_likelihoods) {
  const at::Tensor rows = at::zeros_like(rows_);
  const at::Tensor base = at::zeros_like(base_);
  const at::Tensor start = at::zeros_like(start_);
  // The shares' gradient is computed per instance, so that its sum has a fixed order.
  const at::Tensor shares =
      at::zeros({rows_.size(0), shares_.size(0), shares_.size(1)}, shares_.options());
  BatchNodes<T> gradient =
      NodesOf<T>(rows.template mutable_data_ptr<T>(), base.template mutable_data_ptr<T>(),
                 start.template mutable_data_ptr<T>(), shares.template mutable_data_ptr<T>());
  gradient.weights_batch_stride = shares_.numel();
  VRP_RETURN_IF_ERROR(decoder_->SecondPass(Batch(), request, log_likelihoods, gradient));
  PassGradient result;
  const auto add = [&result](const at::Tensor& root, const at::Tensor& by) {
    if (!root.requires_grad()) return;
    result.roots.push_back(root);
    result.gradients.push_back(by);
  };
  add(projections_.rows, rows);
  add(projections_.base, base);
  add(projections_.start, start);
  add(projections_.shares, shares.sum(0));
  return result;
}

template <typename T>
template <typename Value>
BatchNodes<Value> FusedPasses<T>::NodesOf(Value* rows, Value* base, Value* start,
                                          Value* shares) const {
  const int64_t hidden = projections_.shape.hidden;
  const int64_t kinds = rows_.size(2);
  return {.first = {.stride = kinds * hidden,
                    .keys = rows,
                    .values = rows + hidden,
                    .logit_keys = rows + 2 * hidden,
                    .queries = rows + 3 * hidden,
                    .first_queries = kinds > 4 ? rows + 4 * hidden : nullptr,
                    .base_query = base,
                    .start_query = start,
                    .shares_weight = shares},
          .rows_batch_stride = rows_.stride(0),
          .base_batch_stride = hidden,
          .start_batch_stride = hidden,
          .weights_batch_stride = 0};
}

template <typename T>
DecoderBatch<T> FusedPasses<T>::Batch() const {
  return {.shape = projections_.shape,
          .instances = static_cast<int32_t>(rows_.size(0)),
          .nodes = static_cast<int32_t>(rows_.size(1)),
          .rules = rules_,
          .projections = NodesOf<const T>(
              rows_.template const_data_ptr<T>(), base_.template const_data_ptr<T>(),
              start_.template const_data_ptr<T>(), shares_.template const_data_ptr<T>())};
}

template class FusedPasses<float>;
template class FusedPasses<double>;

}  // namespace vrp
