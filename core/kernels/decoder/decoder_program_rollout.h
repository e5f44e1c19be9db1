// A whole rollout of one trajectory as a program for a group of threads.
#pragma once

#include "core/kernels/decoder/decoder_program_score.h"
#include "core/kernels/routing/step_random.h"

namespace vrp {

// DecodeRequest for a whole batch.
struct BatchRolloutRequest {
  StepChoice choice = StepChoice::kGreedy;
  int32_t trajectories = 1;      // P, of each instance
  bool distinct_starts = false;  // whether first choices are given, as in DecodeRequest
  double temperature = 1;
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;  // if set, the stream is `stream` + *steps
  int64_t first_trajectory = 0;    // number of the first instance's trajectory 0 in the counters
  int32_t max_steps = 0;           // T: at least the number of steps of any trajectory
  const int32_t* forced_choices = nullptr;  // kForced: [B, P, T], -1 after the end
};

// Outputs, [B, P, ...] each. Programs get those of one trajectory from At().
struct BatchRolloutResult {
  int32_t* choices = nullptr;  // [T]; -1 after the end
  int32_t* lengths = nullptr;
  double* costs = nullptr;            // sums of distances, see MetricSum
  double* log_likelihoods = nullptr;  // sums over the steps that the network scored
  int32_t* agreements = nullptr;
  TrajectoryEnd* ends = nullptr;

  VRP_DEVICE BatchRolloutResult At(int64_t trajectory, int32_t max_steps) const {
    return {choices + trajectory * max_steps, lengths + trajectory,    costs + trajectory,
            log_likelihoods + trajectory,     agreements + trajectory, ends + trajectory};
  }
};

// Draws the random numbers of the next kDrawnSteps steps.
template <typename Group, typename T>
VRP_DEVICE void DrawUniforms(const Group& group, const DecoderScratch<T>& scratch,
                             const StepKey& key) {
  group.Each(kDrawnSteps, [&](int32_t i) {
    StepKey one = key;
    one.step += i;
    scratch.uniforms[i] = FirstUniform(StepBlock(one));
  });
}

// Scores a step and chooses `node`, or a node by the request's rule if `node` is negative. Writes
// the choice to scratch.step and adds its log-likelihood to the sum.
template <typename Group, typename T>
VRP_DEVICE void ChooseStep(const Group& group, const DecoderTask<T>& task,
                           const DecoderScratch<T>& scratch, StepChoice choice, int32_t step_number,
                           T inverse_temperature, int32_t node) {
  ScoreStep(group, task, scratch);
  group.Rows(1, [&](const auto& lanes, int32_t) {
    int32_t drawn = node;
    if (choice == StepChoice::kSample) {
      drawn = DrawNode(lanes, task, scratch, scratch.uniforms[step_number % kDrawnSteps],
                       inverse_temperature);
    }
    lanes.Once([&] {
      DecoderStepState<T>& step = *scratch.step;
      step.choice = drawn >= 0 ? drawn : step.likeliest;
      // NaN weights may choose a forbidden node; the first allowed node keeps the plan valid.
      if (step.choice >= task.size() || scratch.allowed[step.choice] == 0) {
        step.choice = AllowedNodeOf(scratch, 0);
      }
      step.log_likelihood_sum += static_cast<double>(LogLikelihoodOf(task, scratch, step.choice));
      step.agreements += step.choice == step.likeliest ? 1 : 0;
    });
  });
}

// Rolls out `trajectory`, which is b * P + p for trajectory p of instance b. `result` holds the
// outputs of this trajectory only.
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
  const T inverse_temperature = static_cast<T>(1 / request.temperature);
  BeginProgram(group, task, scratch);
  TrajectoryEnd end = TrajectoryEnd::kDone;
  for (; !IsDone(scratch.step->state); ++key.step) {
    if (request.choice == StepChoice::kSample && key.step % kDrawnSteps == 0) {
      DrawUniforms(group, scratch, key);
    }
    FindAllowed(group, task, scratch);
    const int32_t allowed = scratch.step->allowed;
    if (allowed == 0) {
      end = TrajectoryEnd::kUnreachable;
      break;
    }
    const int32_t node = forced == nullptr ? -1 : forced[key.step];
    if (forced != nullptr && (node < 0 || node >= task.size() || scratch.allowed[node] == 0)) {
      end = TrajectoryEnd::kForbidden;
      break;
    }
    // Does not run the network if only one node is allowed or the first node is given.
    const bool given = key.step == 0 && request.distinct_starts;
    if (!given && allowed > 1) {
      ChooseStep(group, task, scratch, request.choice, key.step, inverse_temperature, node);
    } else {
      group.Once([&] {
        scratch.step->choice = node >= 0 ? node : AllowedNodeOf(scratch, given ? start : 0);
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
    *result.log_likelihoods = scratch.step->log_likelihood_sum;
    *result.agreements = scratch.step->agreements;
    *result.ends = end;
  });
}

}  // namespace vrp
