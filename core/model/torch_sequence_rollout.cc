#include "core/model/torch_sequence_rollout.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include "core/base/status_macros.h"
#include "core/device/device_stream.h"
#include "core/kernels/followed_steps.h"
#include "core/model/torch_rollout.h"

namespace vrp {
namespace {

// A batch's trajectories under way: what the network reads at a step, and what lies on the device
// from step to step.
class MovingTrajectories {
 public:
  explicit MovingTrajectories(const SequenceRolloutJob& job)
      : job_(job), layout_{.reader = job.network->reader(), .nodes = job.nodes} {
    const int64_t nodes = job.nodes;
    inputs_.current = Make({}, at::kLong);
    inputs_.first = Make({}, at::kLong);
    inputs_.begins = Make({}, at::kBool);
    inputs_.shares = Make({SharesOf(layout_.reader)}, at::kFloat);
    inputs_.forbidden = Make({nodes}, at::kBool);
    if (const int64_t features = FeaturesOf(layout_.reader); features > 0) {
      inputs_.dynamic = Make({nodes, features}, at::kFloat);
    }
    moving_ = Make({}, at::kBool);
    given_ = Make({}, at::kLong);
    uniforms_ = Make({}, at::kDouble);
    rooms_ = Make({FollowRoomBytes(layout_)}, at::kByte);
  }

  // To step `t`, by what was chosen at the one before.
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
    const AdvanceResult<float> result = Result();
    const at::Device device = rooms_.device();
    if (!device.is_cpu()) return AdvanceOnCuda(request, result, CurrentStream(device.index()));
    AdvanceOnCpu(request, result);
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

  const at::Tensor& moving() const { return moving_; }  // [B, P] bool

 private:
  at::Tensor Make(std::vector<int64_t> shape, at::ScalarType type) const {
    shape.insert(shape.begin(), {job_.instances, job_.request.trajectories});
    return at::empty(shape, job_.options.dtype(type));
  }
  static uint8_t* Bytes(const at::Tensor& tensor) {
    return reinterpret_cast<uint8_t*>(tensor.mutable_data_ptr<bool>());
  }
  AdvanceResult<float> Result() const {
    const bool features = inputs_.dynamic.defined();
    return {.steps = {.current = inputs_.current.mutable_data_ptr<int64_t>(),
                      .first = inputs_.first.mutable_data_ptr<int64_t>(),
                      .begins = Bytes(inputs_.begins),
                      .shares = inputs_.shares.mutable_data_ptr<float>(),
                      .forbidden = Bytes(inputs_.forbidden),
                      .features = features ? inputs_.dynamic.mutable_data_ptr<float>() : nullptr},
            .moving = Bytes(moving_),
            .given = given_.mutable_data_ptr<int64_t>(),
            .uniforms = uniforms_.mutable_data_ptr<double>()};
  }

  const SequenceRolloutJob& job_;
  const StepLayout layout_;
  StepInputs inputs_;
  at::Tensor moving_;
  at::Tensor given_;
  at::Tensor uniforms_;
  at::Tensor rooms_;
};

}  // namespace

absl::StatusOr<SequenceRollout> RollOutSequence(const SequenceRolloutJob& job) {
  const c10::NoGradGuard no_gradients;
  const c10::DeviceGuard guard(job.options.device());
  const int64_t count = job.instances;
  const int64_t paths = job.request.trajectories;
  MovingTrajectories moving(job);
  job.decoder->Start(paths);
  SequenceRollout rollout;
  rollout.choices = at::empty({count, paths, job.request.max_steps}, job.options.dtype(at::kInt));
  at::Tensor sums = at::zeros({count, paths}, job.options.dtype(at::kDouble));
  at::Tensor chosen;
  for (int32_t t = 0; t < job.request.max_steps; ++t) {
    VRP_RETURN_IF_ERROR(moving.To(t, chosen));
    const ChosenNodes choice = moving.Choose();
    const at::Tensor waits = moving.moving().logical_not();
    rollout.choices.select(2, t).copy_(choice.nodes.masked_fill(waits, -1));
    if (t > 0 || !job.request.distinct_starts) {
      sums = sums + choice.log_probabilities.masked_fill(waits, 0);
    }
    chosen = choice.nodes.contiguous();
  }
  rollout.log_likelihoods = sums.flatten();
  return rollout;
}

}  // namespace vrp
