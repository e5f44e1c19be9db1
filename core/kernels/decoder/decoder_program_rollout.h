// A whole rollout of one trajectory as a program for a group of threads.
#pragma once

#include "core/kernels/decoder/decoder_program_score.h"
#include "core/kernels/routing/step_random.h"

namespace vrp {

// As DecodeRequest, of a whole batch.
struct BatchRolloutRequest {
  StepChoice choice = StepChoice::kGreedy;
  int32_t trajectories = 1;  // P, of each instance
  bool distinct_starts = false;
  double temperature = 1;
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;  // where given, the stream is `stream` + *steps
  int64_t first_trajectory = 0;    // number of the first instance's trajectory 0 in the counters
  int32_t max_steps = 0;           // T: at least that of every instance
  const int32_t* forced_choices = nullptr;  // kForced: [B, P, T], -1 after the end
};

// [B, P, ...] each; of one trajectory where a program has it.
struct BatchRolloutResult {
  int32_t* choices = nullptr;  // [T]; -1 after the end
  int32_t* lengths = nullptr;
  double* costs = nullptr;            // sums of distances, see MetricSum
  double* log_likelihoods = nullptr;  // of the network's own choices
  int32_t* agreements = nullptr;
  TrajectoryEnd* ends = nullptr;

  VRP_DEVICE BatchRolloutResult At(int64_t trajectory, int32_t max_steps) const {
    return {choices + trajectory * max_steps, lengths + trajectory,    costs + trajectory,
            log_likelihoods + trajectory,     agreements + trajectory, ends + trajectory};
  }
};

// One step's choice of the network, with its log-likelihood, into scratch.step.
template <typename Group, typename T>
VRP_DEVICE void ChooseStep(const Group& group, const DecoderTask<T>& task,
                           const DecoderScratch<T>& scratch, const BatchRolloutRequest& request,
                           const StepKey& key, int32_t wanted) {
  ScoreStep(group, task, scratch);
  group.Once([&] {
    DecoderStepState<T>& step = *scratch.step;
    step.choice = wanted >= 0 ? wanted : step.likeliest;
    if (request.choice == StepChoice::kSample) {
      step.choice = DrawNode(task, scratch, FirstUniform(StepBlock(key)),
                             static_cast<T>(1 / request.temperature));
    }
    // Weights that are not numbers choose anything; the plan remains one.
    if (step.choice >= task.size() || scratch.allowed[step.choice] == 0) {
      step.choice = AllowedNodeOf(scratch, 0);
    }
    step.sum += static_cast<double>(LogLikelihoodOf(task, scratch, step.choice));
    step.agreements += step.choice == step.likeliest ? 1 : 0;
  });
}

// Trajectory p of instance b, numbered b * P + p. `result` is this trajectory's.
template <typename Group, typename T>
VRP_DEVICE void RollOut(const Group& group, const DecoderTask<T>& task,
                        const DecoderScratch<T>& scratch, const BatchRolloutRequest& request,
                        int64_t trajectory, const BatchRolloutResult& result) {
  const int32_t* const forced = request.choice == StepChoice::kForced
                                    ? request.forced_choices + trajectory * request.max_steps
                                    : nullptr;
  const auto start = static_cast<int32_t>(trajectory % request.trajectories);
  StepKey key = {request.seed, StreamOfStep(request.stream, request.steps),
                 request.first_trajectory + trajectory, 0};
  BeginProgram(group, task, scratch);
  TrajectoryEnd end = TrajectoryEnd::kDone;
  for (; !IsDone(scratch.step->state); ++key.step) {
    FindAllowed(group, task, scratch);
    const int32_t allowed = scratch.step->allowed;
    if (allowed == 0) {
      end = TrajectoryEnd::kUnreachable;
      break;
    }
    const int32_t wanted = forced == nullptr ? -1 : forced[key.step];
    if (forced != nullptr &&
        (wanted < 0 || wanted >= task.size() || scratch.allowed[wanted] == 0)) {
      end = TrajectoryEnd::kForbidden;
      break;
    }
    // Where only one node is allowed, or the first is given, the network is not asked.
    const bool given = key.step == 0 && request.distinct_starts;
    if (!given && allowed > 1) {
      ChooseStep(group, task, scratch, request, key, wanted);
    } else {
      group.Once([&] {
        scratch.step->choice = wanted >= 0 ? wanted : AllowedNodeOf(scratch, given ? start : 0);
        scratch.step->agreements += given ? 0 : 1;
      });
    }
    group.Once([&] {
      result.choices[key.step] = scratch.step->choice;
      Take(*task.rules, scratch.step->choice, scratch.step->state, scratch.visited);
    });
  }
  group.Each(request.max_steps - key.step, [&](int32_t i) { result.choices[key.step + i] = -1; });
  group.Once([&] {
    *result.lengths = key.step;
    *result.costs = scratch.step->state.cost;
    *result.log_likelihoods = scratch.step->sum;
    *result.agreements = scratch.step->agreements;
    *result.ends = end;
  });
}

}  // namespace vrp
