#include "core/model/torch/sequence_rollout.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/device/device_stream.h"
#include "core/kernels/forced_decoding/forced_decoding.h"
#include "core/model/torch/rollout.h"

namespace vrp {
namespace {

uint8_t* BoolData(const at::Tensor& tensor) {
  return reinterpret_cast<uint8_t*>(tensor.mutable_data_ptr<bool>());
}

// The states of all trajectories of a batch: the network's inputs, the device's state between
// steps, and the results. The results have room for max_steps steps, so that those of omitted steps
// are defined.
class TrajectoryStates {
 public:
  explicit TrajectoryStates(const SequenceRolloutJob& job)
      : job_(job),
        layout_{.kind = job.network->observation_kind(), .nodes = static_cast<int32_t>(job.nodes)},
        type_(c10::typeMetaToScalarType(job.options.dtype())) {
    inputs_.current = Make({}, at::kLong);
    inputs_.first = Make({}, at::kLong);
    inputs_.begins = Make({}, at::kBool);
    inputs_.shares = Make({ObservedShares(layout_.kind)}, type_);
    inputs_.forbidden = Make({job.nodes}, at::kBool);
    if (const int64_t features = ObservedFeatures(layout_.kind); features > 0) {
      inputs_.dynamic = Make({job.nodes, features}, type_);
    }
    active_ = Make({}, at::kBool);
    ends_ = Make({}, at::kInt);
    costs_ = Make({}, at::kDouble);
    given_ = Make({}, at::kLong);
    uniforms_ = Make({}, at::kDouble);
    trajectory_scratch_ = Make({TrajectoryScratchBytes(layout_)}, at::kByte);
    const std::vector<int64_t> shape = {job.instances, job.request.trajectories};
    choices_ =
        at::full({job.request.max_steps, shape[0], shape[1]}, -1, job.options.dtype(at::kInt));
    log_likelihoods_ = at::zeros(shape, job.options.dtype(at::kDouble));
    agreements_ = at::zeros(shape, job.options.dtype(at::kInt));
  }

  absl::Status Begin() { return AdvanceTo(0, {}); }

  // Takes steps `from` to `end` - 1.
  absl::Status Take(int32_t from, int32_t end) {
    for (int32_t t = from; t < end; ++t) {
      const ChosenNodes choice = Choose();
      const at::Tensor inactive = active_.logical_not();
      if (t > 0 || !job_.request.distinct_starts) {
        log_likelihoods_.add_(choice.log_probabilities.masked_fill(inactive, 0));
        agreements_.add_(choice.likeliest.logical_and(active_));
      }
      choices_.select(0, t).copy_(choice.nodes.masked_fill(inactive, -1));
      VRP_RETURN_IF_ERROR(AdvanceTo(t + 1, choice.nodes.contiguous()));
    }
    return absl::OkStatus();
  }

  // Returns whether each trajectory still has a step to take, [B, P] bool.
  const at::Tensor& active() const { return active_; }
  StepFlags active_flags() const { return {.flags = BoolData(active_), .count = active_.numel()}; }

  // Returns the results after `steps` steps.
  SequenceRollout Result(int32_t steps) const {
    SequenceRollout rollout;
    rollout.choices = choices_.narrow(0, 0, steps).permute({1, 2, 0}).contiguous();
    rollout.lengths = (rollout.choices >= 0).sum(2, false, at::kInt).flatten();
    rollout.costs = costs_.flatten();
    rollout.ends = ends_.flatten();
    rollout.log_likelihoods = log_likelihoods_.flatten();
    rollout.agreements = agreements_.flatten();
    return rollout;
  }

 private:
  // Advances to step `t` by the choices `chosen` [B, P] int64 of the previous step.
  absl::Status AdvanceTo(int32_t t, const at::Tensor& chosen) {
    const BatchRolloutRequest& asked = job_.request;
    const AdvanceRequest request = {
        .layout = layout_,
        .instances = job_.instances,
        .trajectories = asked.trajectories,
        .distinct_starts = asked.distinct_starts,
        .step = t,
        .rules = job_.rules,
        .choices = t == 0 ? nullptr : chosen.const_data_ptr<int64_t>(),
        .trajectory_scratch = trajectory_scratch_.mutable_data_ptr<uint8_t>(),
        .seed = asked.seed,
        .stream = asked.stream,
        .steps = asked.steps,
        .first_trajectory = asked.first_trajectory};
    const at::Device device = trajectory_scratch_.device();
    if (!device.is_cpu()) {
      return AdvanceOnCuda(request, KernelResult<float>(), CurrentStream(device.index()));
    }
    if (type_ == at::kDouble) {
      AdvanceOnCpu(request, KernelResult<double>(), job_.pool);
    } else {
      AdvanceOnCpu(request, KernelResult<float>(), job_.pool);
    }
    return absl::OkStatus();
  }

  // Returns the network's choices at the current step.
  ChosenNodes Choose() const {
    const bool draws = job_.request.choice == StepChoice::kSample;
    return ChooseNodes(Sanitized(job_.decoder->Step(inputs_), inputs_.forbidden),
                       {.given = given_,
                        .uniforms = draws ? uniforms_ : at::Tensor(),
                        .temperature = job_.request.temperature});
  }

  at::Tensor Make(std::vector<int64_t> shape, at::ScalarType type) const {
    shape.insert(shape.begin(), {job_.instances, job_.request.trajectories});
    return at::empty(shape, job_.options.dtype(type));
  }

  template <typename T>
  AdvanceResult<T> KernelResult() const {
    const at::Tensor& features = inputs_.dynamic;
    return {.steps = {.current = inputs_.current.mutable_data_ptr<int64_t>(),
                      .first = inputs_.first.mutable_data_ptr<int64_t>(),
                      .begins = BoolData(inputs_.begins),
                      .shares = inputs_.shares.mutable_data_ptr<T>(),
                      .forbidden = BoolData(inputs_.forbidden),
                      .features = features.defined() ? features.mutable_data_ptr<T>() : nullptr},
            .moving = BoolData(active_),
            .ends = reinterpret_cast<TrajectoryEnd*>(ends_.mutable_data_ptr<int32_t>()),
            .costs = costs_.mutable_data_ptr<double>(),
            .given = given_.mutable_data_ptr<int64_t>(),
            .uniforms = uniforms_.mutable_data_ptr<double>()};
  }

  const SequenceRolloutJob& job_;
  const ObservationLayout layout_;
  const at::ScalarType type_;
  StepInputs inputs_;
  at::Tensor active_;
  at::Tensor ends_;
  at::Tensor costs_;
  at::Tensor given_;
  at::Tensor uniforms_;
  at::Tensor trajectory_scratch_;
  at::Tensor choices_;  // [T, B, P]
  at::Tensor log_likelihoods_;
  at::Tensor agreements_;
};

}  // namespace

absl::StatusOr<SequenceRollout> RollOutSequence(const SequenceRolloutJob& job) {
  const c10::NoGradGuard no_gradients;
  const c10::DeviceGuard guard(job.options.device());
  const int32_t max_steps = job.request.max_steps;
  TrajectoryStates trajectories(job);
  job.decoder->Start(job.request.trajectories);
  VRP_RETURN_IF_ERROR(trajectories.Begin());
  int32_t taken = 0;
  while (taken < max_steps) {
    VRP_RETURN_IF_ERROR(StopStatus(job.stop.Check()));
    const int32_t end = std::min(taken + job.poll_every, max_steps);
    const auto take = [&] { return trajectories.Take(taken, end); };
    if (taken == 0) {
      VRP_RETURN_IF_ERROR(take());
    } else if (job.stream != nullptr) {
      VRP_RETURN_IF_ERROR(job.stream->AddConditional(trajectories.active_flags(), take));
    } else {
      if (!trajectories.active().any().item<bool>()) break;
      VRP_RETURN_IF_ERROR(take());
    }
    taken = end;
  }
  return trajectories.Result(taken);
}

}  // namespace vrp
