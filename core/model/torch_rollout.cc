#include "core/model/torch_rollout.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/kernels/routing_step.h"
#include "core/kernels/step_random.h"
#include "core/model/torch_followed.h"
#include "core/model/torch_rules.h"

namespace vrp {
namespace {

constexpr int64_t kRowsAtOnce = 64;  // of a thread

// One batch on its way. Row r is b * P + p.
class Runner {
 public:
  Runner(const TorchRolloutJob& job, Transfers& transfers)
      : job_(job),
        request_(*job.request),
        transfers_(transfers),
        paths_(request_.trajectories),
        rows_(int64_t{job.count} * paths_) {
    for (int32_t b = 0; b < job.count; ++b) {
      rules_.push_back(MakeStepRules(job.batch->problems[static_cast<size_t>(job.first + b)]));
      nodes_ = std::max<int64_t>(nodes_, rules_.back().problem.nodes);
    }
    visited_.resize(static_cast<size_t>(rows_ * nodes_));
    for (int64_t row = 0; row < rows_; ++row) {
      states_.push_back(BeginTrajectory(rules_of(row), visited(row)));
    }
    choices_.resize(static_cast<size_t>(rows_));
    log_likelihoods_.resize(static_cast<size_t>(rows_));
    agreements_.resize(static_cast<size_t>(rows_));
  }

  absl::StatusOr<TorchRollout> Run() {
    VRP_RETURN_IF_ERROR(Decode());
    TorchRollout result;
    if (job_.record) Record(result);
    result.trajectories = MakeTrajectories();
    return result;
  }

 private:
  const StepRules& rules_of(int64_t row) const { return rules_[static_cast<size_t>(row / paths_)]; }
  RouteState& state(int64_t row) { return states_[static_cast<size_t>(row)]; }
  uint8_t* visited(int64_t row) { return visited_.data() + row * nodes_; }
  // In the whole batch.
  int64_t instance(int64_t row) const { return job_.first + row / paths_; }

  // Calls body(row) for all rows, on the request's threads.
  void ForRows(absl::FunctionRef<void(int64_t)> body) {
    const int64_t parts = (rows_ + kRowsAtOnce - 1) / kRowsAtOnce;
    const auto part = [&](int64_t k) {
      const int64_t end = std::min(rows_, (k + 1) * kRowsAtOnce);
      for (int64_t row = k * kRowsAtOnce; row < end; ++row) body(row);
    };
    if (request_.pool != nullptr && parts > 1) {
      request_.pool->ParallelFor(parts, part);
    } else {
      for (int64_t k = 0; k < parts; ++k) part(k);
    }
  }

  // The numbers of the row's step: the same as the engines on the CPU draw.
  PhiloxCounter Draws(int64_t row) const {
    const int64_t trajectory = (request_.first_instance + job_.first) * paths_ + row;
    return StepBlock({request_.seed, request_.stream, trajectory, static_cast<int32_t>(steps_)});
  }

  absl::Status StuckStatus(int64_t row) {
    const auto found = std::find(visited(row), visited(row) + nodes_, 0) - visited(row);
    const int32_t first_row = job_.batch->first_rows[static_cast<size_t>(instance(row))];
    return absl::FailedPreconditionError(
        Concat("instances[", instance(row), "]: customer ",
               job_.batch->orders[static_cast<size_t>(first_row + found)],
               " cannot be served by a route of its own"));
  }

  void TakeChoice(int64_t row, int32_t node) {
    Take(rules_of(row), node, state(row), visited(row));
    choices_[static_cast<size_t>(row)].push_back(node);
  }

  bool AllDone() const { return std::all_of(states_.begin(), states_.end(), IsDone); }

  absl::Status Decode() {
    const c10::NoGradGuard no_gradients;
    job_.decoder->Start(paths_);
    for (; !AllDone(); ++steps_) {
      VRP_RETURN_IF_ERROR(StopStatus(request_.stop.Check()));
      StepBuffer buffer(job_.network->reader(),
                        {.instances = job_.count, .queries = paths_, .nodes = nodes_},
                        job_.options);
      VRP_RETURN_IF_ERROR(Observe(buffer));
      DeviceSteps step = buffer.Upload(transfers_);
      const at::Tensor logits = Sound(job_.decoder->Step(step.inputs), step.inputs.forbidden);
      Advance(transfers_.ToHost(Choose(logits, step)));
      if (job_.record) recorded_.push_back(std::move(step.inputs));
    }
    return absl::OkStatus();
  }

  absl::Status Observe(StepBuffer& buffer) {
    std::atomic<int64_t> stuck{-1};
    ForRows([&](int64_t row) {
      if (IsDone(state(row))) return;
      if (!buffer.Observe(row, rules_of(row), state(row), visited(row))) {
        stuck.store(row);
        return;
      }
      buffer.SetUniform(row, FirstUniform(Draws(row)));
      if (steps_ == 0 && request_.distinct_starts) {
        buffer.SetGiven(row, AllowedNode(rules_of(row), state(row), visited(row), row % paths_));
      }
    });
    if (stuck.load() >= 0) return StuckStatus(stuck.load());
    return absl::OkStatus();
  }

  // [3, B, P] double: the choice, its log-probability, whether it is the likeliest.
  at::Tensor Choose(const at::Tensor& logits, const DeviceSteps& step) const {
    const ChosenNodes chosen = ChooseNodes(
        logits, {.given = step.given,
                 .uniforms = request_.choice == Choice::kSample ? step.uniforms : at::Tensor(),
                 .temperature = request_.temperature});
    return at::stack(
        {chosen.nodes.to(at::kDouble), chosen.log_probabilities, chosen.likeliest.to(at::kDouble)});
  }

  void Advance(const at::Tensor& chosen) {
    const double* values = chosen.const_data_ptr<double>();
    const bool theirs = steps_ > 0 || !request_.distinct_starts;
    for (int64_t row = 0; row < rows_; ++row) {
      if (IsDone(state(row))) continue;
      const auto at = static_cast<size_t>(row);
      TakeChoice(row, static_cast<int32_t>(values[row]));
      if (!theirs) continue;
      log_likelihoods_[at] += values[rows_ + row];
      agreements_[at] += values[2 * rows_ + row] > 0 ? 1 : 0;
    }
  }

  // The steps of all tours, T fastest.
  void Record(TorchRollout& result) {
    const auto together = [this](at::Tensor StepInputs::*column) {
      std::vector<at::Tensor> steps;
      for (const StepInputs& inputs : recorded_) steps.push_back(inputs.*column);
      return steps[0].defined() ? at::stack(steps, 2).flatten(1, 2) : at::Tensor();
    };
    result.steps.inputs = {.current = together(&StepInputs::current),
                           .first = together(&StepInputs::first),
                           .begins = together(&StepInputs::begins),
                           .shares = together(&StepInputs::shares),
                           .forbidden = together(&StepInputs::forbidden),
                           .dynamic = together(&StepInputs::dynamic)};
    at::Tensor actions = at::full({job_.count, paths_ * steps_}, -1, at::kLong);
    for (int64_t row = 0; row < rows_; ++row) {
      const std::vector<int32_t>& from = choices_[static_cast<size_t>(row)];
      std::copy(from.begin(), from.end(), actions.mutable_data_ptr<int64_t>() + row * steps_);
    }
    const at::Tensor there = transfers_.ToDevice(actions);
    result.steps.actions = at::clamp_min(there, 0);
    result.steps.counted = there >= 0;
    if (request_.distinct_starts) {
      result.steps.counted.view({job_.count, paths_, steps_}).select(2, 0).fill_(false);
    }
  }

  Trajectories MakeTrajectories() {
    Trajectories result;
    result.count = static_cast<int32_t>(paths_);
    result.steps = static_cast<int32_t>(steps_);
    result.choices.assign(static_cast<size_t>(rows_ * steps_), -1);
    for (int64_t row = 0; row < rows_; ++row) {
      const std::vector<int32_t>& from = choices_[static_cast<size_t>(row)];
      std::copy(from.begin(), from.end(), result.choices.begin() + row * steps_);
      result.lengths.push_back(static_cast<int32_t>(from.size()));
      result.costs.push_back(MetricSum(rules_of(row).problem.metric, state(row).cost));
    }
    result.log_likelihoods = std::move(log_likelihoods_);
    result.agreements = std::move(agreements_);
    return result;
  }

  const TorchRolloutJob& job_;
  const RolloutRequest& request_;
  Transfers& transfers_;
  const int64_t paths_;  // P
  const int64_t rows_;   // B * P
  int64_t nodes_ = 0;
  int64_t steps_ = 0;               // taken
  std::vector<StepRules> rules_;    // [B]
  std::vector<RouteState> states_;  // [B * P], as all below
  std::vector<uint8_t> visited_;    // [B * P, N]
  std::vector<std::vector<int32_t>> choices_;
  std::vector<double> log_likelihoods_;
  std::vector<int32_t> agreements_;
  std::vector<StepInputs> recorded_;  // a step each
};

// Along the choices that are given: the host only says which, and hears what they cost.
class Follower {
 public:
  Follower(const TorchRolloutJob& job, Transfers& transfers)
      : job_(job),
        request_(*job.request),
        transfers_(transfers),
        paths_(request_.trajectories),
        rows_(int64_t{job.count} * paths_) {
    for (int64_t row = 0; row < rows_; ++row) {
      steps_ = std::max<int64_t>(steps_, std::ssize(Given(row)));
    }
    for (int32_t b = 0; b < job.count; ++b) {
      nodes_ = std::max<int64_t>(nodes_, job.batch->nodes(job.first + b));
    }
  }

  absl::StatusOr<TorchRollout> Run() {
    VRP_RETURN_IF_ERROR(StopStatus(request_.stop.Check()));
    const DeviceRules rules = MakeDeviceRules(*job_.batch, job_.first, job_.count, transfers_);
    VRP_ASSIGN_OR_RETURN(
        Followed followed,
        FollowChoices({.network = job_.network,
                       .rules = rules.rules,
                       .choices = transfers_.ToDevice(Choices()),
                       .nodes = nodes_,
                       .type = c10::typeMetaToScalarType(job_.options.dtype()),
                       .seed = request_.seed,
                       .stream = request_.stream,
                       .first_trajectory = (request_.first_instance + job_.first) * paths_,
                       .pool = request_.pool}));
    TorchRollout result;
    VRP_ASSIGN_OR_RETURN(result.trajectories, MakeTrajectories(followed));
    result.steps = std::move(followed.steps);
    if (request_.distinct_starts) {
      result.steps.counted.view({job_.count, paths_, steps_}).select(2, 0).fill_(false);
    }
    if (request_.teacher_forcing >= 1 || !job_.network->recurrent()) return result;
    VRP_ASSIGN_OR_RETURN(result.steps.inputs.current,
                         ReadOwnChoices({.decoder = job_.decoder,
                                         .inputs = result.steps.inputs,
                                         .own = followed.draws >= request_.teacher_forcing,
                                         .trajectories = paths_,
                                         .stop = request_.stop}));
    return result;
  }

 private:
  std::span<const int32_t> Given(int64_t row) const {
    return request_.choices[static_cast<size_t>(int64_t{job_.first} * paths_ + row)];
  }

  // [B, P, T] on the host.
  at::Tensor Choices() const {
    at::Tensor choices = at::full({job_.count, paths_, steps_}, -1, at::kInt);
    for (int64_t row = 0; row < rows_; ++row) {
      const std::span<const int32_t> from = Given(row);
      std::copy(from.begin(), from.end(), choices.mutable_data_ptr<int32_t>() + row * steps_);
    }
    return choices;
  }

  absl::StatusOr<Trajectories> MakeTrajectories(const Followed& followed) const {
    const at::Tensor host = transfers_.ToHost(at::stack(
        {followed.ends.to(at::kDouble), followed.lengths.to(at::kDouble), followed.costs}));
    const double* const ends = host.const_data_ptr<double>();
    Trajectories result;
    result.count = static_cast<int32_t>(paths_);
    result.steps = static_cast<int32_t>(steps_);
    result.choices.assign(static_cast<size_t>(rows_ * steps_), -1);
    for (int64_t row = 0; row < rows_; ++row) {
      const auto length = static_cast<int32_t>(ends[rows_ + row]);
      if (ends[row] != static_cast<double>(TrajectoryEnd::kDone)) return Forbidden(row, length);
      std::copy_n(Given(row).begin(), length, result.choices.begin() + row * steps_);
      const RoutingProblem& problem =
          job_.batch->problems[static_cast<size_t>(job_.first + row / paths_)];
      result.lengths.push_back(length);
      result.costs.push_back(MetricSum(problem.metric, ends[2 * rows_ + row]));
    }
    result.log_likelihoods.resize(static_cast<size_t>(rows_));
    result.agreements.resize(static_cast<size_t>(rows_));
    return result;
  }

  absl::Status Forbidden(int64_t row, int32_t step) const {
    const std::span<const int32_t> given = Given(row);
    const int32_t node = step < std::ssize(given) ? given[static_cast<size_t>(step)] : -1;
    return absl::InvalidArgumentError(Concat("choices[", int64_t{job_.first} * paths_ + row, "][",
                                             step, "]: ", node, " is not allowed there"));
  }

  const TorchRolloutJob& job_;
  const RolloutRequest& request_;
  Transfers& transfers_;
  const int64_t paths_;  // P
  const int64_t rows_;   // B * P
  int64_t nodes_ = 0;    // N
  int64_t steps_ = 1;    // T
};

}  // namespace

absl::StatusOr<TorchRollout> RunTorchRollout(const TorchRolloutJob& job, Transfers& transfers) {
  if (job.request->choice == Choice::kFollow) return Follower(job, transfers).Run();
  return Runner(job, transfers).Run();
}

at::Tensor Sound(const at::Tensor& logits, const at::Tensor& forbidden) {
  return at::nan_to_num(logits.to(at::kDouble), 0, 0, 0)
      .masked_fill(forbidden, -std::numeric_limits<double>::infinity());
}

ChosenNodes ChooseNodes(const at::Tensor& logits, const ChoiceInputs& inputs) {
  const at::Tensor log_probabilities = at::log_softmax(logits, -1);
  const at::Tensor likeliest = at::argmax(log_probabilities, -1);
  at::Tensor own = likeliest;
  if (inputs.uniforms.defined()) {
    const at::Tensor below = at::cumsum(at::softmax(logits / inputs.temperature, -1), -1);
    const at::Tensor drawn = (below <= inputs.uniforms.unsqueeze(2)).sum(-1);
    own = at::where(drawn < logits.size(2), drawn, likeliest);  // what rounding left over
  }
  const at::Tensor nodes = at::where(inputs.given >= 0, inputs.given, own);
  return {.nodes = nodes,
          .log_probabilities = log_probabilities.gather(2, nodes.unsqueeze(2)).squeeze(2),
          .likeliest = nodes == likeliest};
}

ReplayTerms Replay(const TorchDecoder& decoder, const TakenSteps& steps, int64_t trajectories,
                   double label_smoothing) {
  const at::Tensor logits = decoder.Replay(steps.inputs, trajectories);
  const at::Tensor log_probabilities = at::log_softmax(logits, -1);
  const at::Tensor uncounted = steps.counted.logical_not();
  const auto counted = [&](const at::Tensor& terms) { return terms.masked_fill(uncounted, 0); };
  ReplayTerms terms;
  terms.chosen = counted(log_probabilities.gather(2, steps.actions.unsqueeze(2)).squeeze(2));
  terms.smoothed = terms.chosen;
  if (label_smoothing > 0) {
    const at::Tensor& forbidden = steps.inputs.forbidden;
    const at::Tensor mean =
        log_probabilities.masked_fill(forbidden, 0).sum(-1) / forbidden.logical_not().sum(-1);
    terms.smoothed = (1 - label_smoothing) * terms.chosen + label_smoothing * counted(mean);
  }
  terms.agrees = (at::argmax(logits, -1) == steps.actions).logical_and(steps.counted);
  return terms;
}

}  // namespace vrp
