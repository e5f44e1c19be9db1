// A whole rollout of one trajectory as a program for a group of threads.
#pragma once

#include "core/kernels/decoder/decoder_program_score.h"
#include "core/kernels/decoder/decoder_rollout.h"
#include "core/kernels/routing/step_random.h"

namespace vrp {

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

// A trajectory in the middle of its rollout.
template <typename T>
struct TrajectoryRun {
  BatchRolloutResult result;        // of this trajectory only
  const int32_t* forced = nullptr;  // [T]; null: choices are not forced
  int32_t start = 0;                // number of the given first choice among the allowed nodes
  T inverse_temperature = 1;
  StepKey key;
  int32_t node = -1;  // of the step to be scored, if it is forced
  TrajectoryEnd end = TrajectoryEnd::kDone;
};

// Begins `trajectory`, which is b * P + p for trajectory p of instance b. `results` are those of
// the batch.
template <typename Group, typename T>
VRP_DEVICE TrajectoryRun<T> BeginRollout(const Group& group, const DecoderTask<T>& task,
                                         const DecoderScratch<T>& scratch,
                                         const BatchRolloutRequest& request, int64_t trajectory,
                                         const BatchRolloutResult& results) {
  TrajectoryRun<T> run;
  run.result = results.At(trajectory, request.max_steps);
  if (request.choice == StepChoice::kForced) {
    run.forced = request.forced_choices + trajectory * request.max_steps;
  }
  run.start = static_cast<int32_t>(trajectory % request.trajectories);
  run.inverse_temperature = static_cast<T>(1 / request.temperature);
  run.key = {request.seed, StreamOfStep(request.stream, request.steps),
             request.first_trajectory + trajectory, 0};
  BeginProgram(group, task, scratch);
  return run;
}

// Scores a step and chooses the run's node, or one by the rule `choice` if it has none. Writes the
// choice to scratch.step and adds its log-likelihood to the sum.
template <typename Group, typename T>
VRP_DEVICE void ChooseStep(const Group& group, const DecoderTask<T>& task,
                           const DecoderScratch<T>& scratch, StepChoice choice,
                           const TrajectoryRun<T>& run) {
  ScoreStep(group, task, scratch);
  group.Rows(1, [&](const auto& lanes, int32_t) {
    int32_t drawn = run.node;
    if (choice == StepChoice::kSample) {
      drawn = DrawNode(lanes, task, scratch, scratch.uniforms[run.key.step % kDrawnSteps],
                       run.inverse_temperature);
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

// Takes scratch.step->choice and ends the step.
template <typename Group, typename T>
VRP_DEVICE void TakeChoice(const Group& group, const DecoderTask<T>& task,
                           const DecoderScratch<T>& scratch, TrajectoryRun<T>& run) {
  group.Once([&] {
    run.result.choices[run.key.step] = scratch.step->choice;
    Take(*task.rules, scratch.step->choice, scratch.step->state, scratch.visited);
  });
  ++run.key.step;
}

// Goes on to the next step that the network must score: one with several allowed nodes, whose node
// is not given. Returns false at the trajectory's end.
template <typename Group, typename T>
VRP_DEVICE bool NextScoredStep(const Group& group, const DecoderTask<T>& task,
                               const DecoderScratch<T>& scratch, const BatchRolloutRequest& request,
                               TrajectoryRun<T>& run) {
  while (!IsDone(scratch.step->state)) {
    if (request.choice == StepChoice::kSample && run.key.step % kDrawnSteps == 0) {
      DrawUniforms(group, scratch, run.key);
    }
    FindAllowed(group, task, scratch);
    const int32_t allowed = scratch.step->allowed;
    if (allowed == 0) {
      run.end = TrajectoryEnd::kUnreachable;
      return false;
    }
    run.node = run.forced == nullptr ? -1 : run.forced[run.key.step];
    if (run.forced != nullptr &&
        (run.node < 0 || run.node >= task.size() || scratch.allowed[run.node] == 0)) {
      run.end = TrajectoryEnd::kForbidden;
      return false;
    }
    const bool given = run.key.step == 0 && request.distinct_starts;
    if (!given && allowed > 1) return true;
    group.Once([&] {
      scratch.step->choice =
          run.node >= 0 ? run.node : AllowedNodeOf(scratch, given ? run.start : 0);
      scratch.step->agreements += given ? 0 : 1;
    });
    TakeChoice(group, task, scratch, run);
  }
  return false;
}

// Writes the results of a trajectory that has ended.
template <typename Group, typename T>
VRP_DEVICE void EndRollout(const Group& group, const DecoderScratch<T>& scratch,
                           const BatchRolloutRequest& request, const TrajectoryRun<T>& run) {
  const int32_t length = run.key.step;
  group.Each(request.max_steps - length, [&](int32_t i) { run.result.choices[length + i] = -1; });
  group.Once([&] {
    *run.result.lengths = length;
    *run.result.costs = scratch.step->state.cost;
    *run.result.log_likelihoods = scratch.step->log_likelihood_sum;
    *run.result.agreements = scratch.step->agreements;
    *run.result.ends = run.end;
  });
}

// Rolls out a whole trajectory, see BeginRollout.
template <typename Group, typename T>
VRP_DEVICE void RollOut(const Group& group, const DecoderTask<T>& task,
                        const DecoderScratch<T>& scratch, const BatchRolloutRequest& request,
                        int64_t trajectory, const BatchRolloutResult& results) {
  TrajectoryRun<T> run = BeginRollout(group, task, scratch, request, trajectory, results);
  while (NextScoredStep(group, task, scratch, request, run)) {
    ChooseStep(group, task, scratch, request.choice, run);
    TakeChoice(group, task, scratch, run);
  }
  EndRollout(group, scratch, request, run);
}

}  // namespace vrp
