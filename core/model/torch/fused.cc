#include "core/model/torch/fused.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/kernels/decoder/attention_decoder.h"
#include "core/model/torch/rollout_result.h"
#include "core/model/torch/rules.h"

namespace vrp {
namespace {

StepChoice StepChoiceOf(Choice choice) {
  if (choice == Choice::kForced) return StepChoice::kForced;
  return choice == Choice::kSample ? StepChoice::kSample : StepChoice::kGreedy;
}

template <typename T>
class TypedFusedDecoder final : public FusedDecoder {
 public:
  TypedFusedDecoder(const DecoderProjections& projections, const FusedBatch& batch,
                    Transfers& transfers)
      : batch_(batch),
        transfers_(transfers),
        rules_(MakeDeviceRules(*batch.batch, batch.first, batch.count, transfers)),
        passes_(projections, rules_.rules, batch.deterministic) {}

  absl::StatusOr<Trajectories> Rollout(const RolloutRequest& request) override {
    VRP_RETURN_IF_ERROR(StopStatus(request.stop.Check()));
    const c10::DeviceGuard guard(transfers_.device());
    request_ = &request;
    const int64_t trajectories = request.trajectories;
    memory_.emplace(batch_.count * trajectories, MaxSteps(), transfers_.device());
    const at::Tensor follow = ForcedSteps();
    const BatchRolloutRequest launched = {
        .choice = StepChoiceOf(request.choice),
        .trajectories = request.trajectories,
        .distinct_starts = request.distinct_starts,
        .temperature = request.temperature,
        .seed = request.seed,
        .stream = request.stream,
        .first_trajectory = (request.first_instance + batch_.first) * trajectories,
        .max_steps = memory_->max_steps(),
        .forced_choices = follow.defined() ? follow.const_data_ptr<int32_t>() : nullptr};
    VRP_RETURN_IF_ERROR(passes_.Rollout(launched, memory_->result()));
    const at::Tensor host = transfers_.ToHost(memory_->bytes());
    return ReadRolloutResult(memory_->Views(host.mutable_data_ptr<uint8_t>()), memory_->max_steps(),
                             batch_, request);
  }

  absl::StatusOr<FusedGradient> SecondPass(std::span<const double> weights,
                                           double label_smoothing) override {
    const c10::DeviceGuard guard(transfers_.device());
    at::Tensor host = at::empty({std::ssize(weights)}, at::kDouble);
    std::copy(weights.begin(), weights.end(), host.mutable_data_ptr<double>());
    const at::Tensor weighed = transfers_.ToDevice(host);
    const at::Tensor terms = at::empty_like(weighed);
    const BatchSecondPassRequest launched = {.trajectories = request_->trajectories,
                                             .distinct_starts = request_->distinct_starts,
                                             .label_smoothing = label_smoothing,
                                             .max_steps = memory_->max_steps(),
                                             .choices = memory_->result().choices,
                                             .weights = weighed.const_data_ptr<double>()};
    VRP_ASSIGN_OR_RETURN(PassGradient gradient,
                         passes_.SecondPass(launched, terms.template mutable_data_ptr<double>()));
    FusedGradient result{std::move(gradient), {}};
    const at::Tensor host_terms = transfers_.ToHost(terms);
    const double* const values = host_terms.const_data_ptr<double>();
    result.log_likelihoods.assign(values, values + host_terms.numel());
    return result;
  }

 private:
  const RoutingProblem& problem(int64_t b) const {
    return batch_.batch->problems[static_cast<size_t>(batch_.first + b)];
  }

  int32_t MaxSteps() const {
    int32_t steps = 1;
    for (int32_t b = 0; b < batch_.count; ++b) steps = std::max(steps, MaxTourSteps(problem(b)));
    return steps;
  }

  // Returns the forced choices [B, P, T] on the device; undefined unless choices are forced.
  at::Tensor ForcedSteps() const {
    if (request_->choice != Choice::kForced) return {};
    const int64_t trajectories = request_->trajectories;
    const int64_t steps = memory_->max_steps();
    at::Tensor host = at::full({batch_.count, trajectories, steps}, -1, at::kInt);
    for (int64_t row = 0; row < batch_.count * trajectories; ++row) {
      const std::vector<int32_t>& from = Given(row);
      std::copy_n(from.begin(), std::min<int64_t>(std::ssize(from), steps),
                  host.mutable_data_ptr<int32_t>() + row * steps);
    }
    return transfers_.ToDevice(host);
  }

  const std::vector<int32_t>& Given(int64_t row) const {
    return request_
        ->choices[static_cast<size_t>(batch_.first * int64_t{request_->trajectories} + row)];
  }

  const FusedBatch batch_;
  Transfers& transfers_;
  const DeviceRules rules_;
  FusedPasses<T> passes_;
  const RolloutRequest* request_ = nullptr;
  std::optional<RolloutMemory> memory_;
};

}  // namespace

std::unique_ptr<FusedDecoder> MakeFusedDecoder(const DecoderProjections& projections,
                                               const FusedBatch& batch, Transfers& transfers) {
  if (projections.rows.scalar_type() == at::kDouble) {
    return std::make_unique<TypedFusedDecoder<double>>(projections, batch, transfers);
  }
  return std::make_unique<TypedFusedDecoder<float>>(projections, batch, transfers);
}

}  // namespace vrp
