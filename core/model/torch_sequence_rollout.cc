#include "core/model/torch_sequence_rollout.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include <vector>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/device/device_stream.h"
#include "core/kernels/followed_steps.h"
#include "core/model/torch_rollout.h"

namespace vrp {
namespace {

uint8_t* BoolData(const at::Tensor& tensor) {
  return reinterpret_cast<uint8_t*>(tensor.mutable_data_ptr<bool>());
}

// A batch's trajectories under way: what the network reads at a step, and what lies on the device
// from step to step.
class MovingTrajectories {
 public:
  explicit MovingTrajectories(const SequenceRolloutJob& job)
      : job_(job),
        layout_{.reader = job.network->reader(), .nodes = static_cast<int32_t>(job.nodes)},
        type_(c10::typeMetaToScalarType(job.options.dtype())) {
    inputs_.current = Make({}, at::kLong);
    inputs_.first = Make({}, at::kLong);
    inputs_.begins = Make({}, at::kBool);
    inputs_.shares = Make({SharesOf(layout_.reader)}, type_);
    inputs_.forbidden = Make({job.nodes}, at::kBool);
    if (const int64_t features = FeaturesOf(layout_.reader); features > 0) {
      inputs_.dynamic = Make({job.nodes, features}, type_);
    }
    moving_ = Make({}, at::kBool);
    ends_ = Make({}, at::kInt);
    costs_ = Make({}, at::kDouble);
    given_ = Make({}, at::kLong);
    uniforms_ = Make({}, at::kDouble);
    rooms_ = Make({FollowRoomBytes(layout_)}, at::kByte);
  }

  // To step `t`, by what was chosen at the one before, [B, P] int64.
  absl::Status To(int32_t t, const at::Tensor& chosen) {
    const BatchRolloutRequest& asked = job_.request;
    const AdvanceRequest request = {.layout = layout_,
                                    .instances = job_.instances,
                                    .trajectories = asked.trajectories,
                                    .distinct_starts = asked.distinct_starts,
                                    .step = t,
                                    .rules = job_.rules,
                                    .choices = t == 0 ? nullptr : chosen.const_data_ptr<int64_t>(),
                                    .rooms = rooms_.mutable_data_ptr<uint8_t>(),
                                    .seed = asked.seed,
                                    .stream = asked.stream,
                                    .steps = asked.steps,
                                    .first_trajectory = asked.first_trajectory};
    const at::Device device = rooms_.device();
    if (!device.is_cpu()) {
      return AdvanceOnCuda(request, Result<float>(), CurrentStream(device.index()));
    }
    if (type_ == at::kDouble) {
      AdvanceOnCpu(request, Result<double>(), job_.pool);
    } else {
      AdvanceOnCpu(request, Result<float>(), job_.pool);
    }
    return absl::OkStatus();
  }

  // The network's choices at the step.
  ChosenNodes Choose() const {
    const bool draws = job_.request.choice == StepChoice::kSample;
    return ChooseNodes(Sound(job_.decoder->Step(inputs_), inputs_.forbidden),
                       {.given = given_,
                        .uniforms = draws ? uniforms_ : at::Tensor(),
                        .temperature = job_.request.temperature});
  }

  // [B, P] each, of the step.
  const at::Tensor& moving() const { return moving_; }
  const at::Tensor& ends() const { return ends_; }
  const at::Tensor& costs() const { return costs_; }

 private:
  at::Tensor Make(std::vector<int64_t> shape, at::ScalarType type) const {
    shape.insert(shape.begin(), {job_.instances, job_.request.trajectories});
    return at::empty(shape, job_.options.dtype(type));
  }

  template <typename T>
  AdvanceResult<T> Result() const {
    const at::Tensor& features = inputs_.dynamic;
    return {.steps = {.current = inputs_.current.mutable_data_ptr<int64_t>(),
                      .first = inputs_.first.mutable_data_ptr<int64_t>(),
                      .begins = BoolData(inputs_.begins),
                      .shares = inputs_.shares.mutable_data_ptr<T>(),
                      .forbidden = BoolData(inputs_.forbidden),
                      .features = features.defined() ? features.mutable_data_ptr<T>() : nullptr},
            .moving = BoolData(moving_),
            .ends = reinterpret_cast<TrajectoryEnd*>(ends_.mutable_data_ptr<int32_t>()),
            .costs = costs_.mutable_data_ptr<double>(),
            .given = given_.mutable_data_ptr<int64_t>(),
            .uniforms = uniforms_.mutable_data_ptr<double>()};
  }

  const SequenceRolloutJob& job_;
  const StepLayout layout_;
  const at::ScalarType type_;
  StepInputs inputs_;
  at::Tensor moving_;
  at::Tensor ends_;
  at::Tensor costs_;
  at::Tensor given_;
  at::Tensor uniforms_;
  at::Tensor rooms_;
};

}  // namespace

absl::StatusOr<SequenceRollout> RollOutSequence(const SequenceRolloutJob& job) {
  const c10::NoGradGuard no_gradients;
  const c10::DeviceGuard guard(job.options.device());
  const BatchRolloutRequest& request = job.request;
  const std::vector<int64_t> shape = {job.instances, request.trajectories};
  MovingTrajectories trajectories(job);
  job.decoder->Start(request.trajectories);
  at::Tensor log_likelihoods = at::zeros(shape, job.options.dtype(at::kDouble));
  at::Tensor agreements = at::zeros(shape, job.options.dtype(at::kInt));
  at::Tensor chosen;
  std::vector<at::Tensor> choices;
  int32_t t = 0;
  for (;; ++t) {
    VRP_RETURN_IF_ERROR(StopStatus(job.stop.Check()));
    VRP_RETURN_IF_ERROR(trajectories.To(t, chosen));
    const bool looks = job.look_every > 0 && t > 0 && t % job.look_every == 0;
    if (t == request.max_steps) break;
    if (looks && !trajectories.moving().any().item<bool>()) break;
    const ChosenNodes choice = trajectories.Choose();
    const at::Tensor waits = trajectories.moving().logical_not();
    if (t > 0 || !request.distinct_starts) {
      log_likelihoods.add_(choice.log_probabilities.masked_fill(waits, 0));
      agreements.add_(choice.likeliest.logical_and(trajectories.moving()));
    }
    choices.push_back(choice.nodes.masked_fill(waits, -1).to(at::kInt));
    chosen = choice.nodes.contiguous();
  }
  SequenceRollout rollout;
  rollout.choices = at::stack(choices, 2);
  rollout.lengths = (rollout.choices >= 0).sum(2, false, at::kInt).flatten();
  rollout.costs = trajectories.costs().flatten();
  rollout.ends = trajectories.ends().flatten();
  rollout.log_likelihoods = log_likelihoods.flatten();
  rollout.agreements = agreements.flatten();
  return rollout;
}

}  // namespace vrp
