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
  const int64_t* steps = nullptr;   // where given, the stream is `stream` + *steps
  int64_t first_trajectory = 0;     // number of the first instance's trajectory 0 in the counters
  int32_t max_steps = 0;            // T: at least that of every instance
  const int32_t* follow = nullptr;  // kFollow: [B, P, T], -1 after the end
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

// One step's choice of the network, with its log-likelihood, into room.place.
template <typename Group, typename T>
VRP_DEVICE void ChooseStep(const Group& group, const DecoderTask<T>& task,
                           const DecoderRoom<T>& room, const BatchRolloutRequest& request,
                           const StepKey& key, int32_t wanted) {
  ScoreStep(group, task, room);
  group.Once([&] {
    DecoderPlace<T>& place = *room.place;
    place.choice = wanted >= 0 ? wanted : place.likeliest;
    if (request.choice == StepChoice::kSample) {
      place.choice = DrawNode(task, room, FirstUniform(StepBlock(key)),
                              static_cast<T>(1 / request.temperature));
    }
    // Weights that are not numbers choose anything; the plan remains one.
    if (place.choice >= task.size() || room.allowed[place.choice] == 0) {
      place.choice = AllowedNodeOf(room, 0);
    }
    place.sum += static_cast<double>(LogLikelihoodOf(task, room, place.choice));
    place.agreements += place.choice == place.likeliest ? 1 : 0;
  });
}

// Trajectory p of instance b, numbered b * P + p. `result` is this trajectory's.
template <typename Group, typename T>
VRP_DEVICE void RollOut(const Group& group, const DecoderTask<T>& task, const DecoderRoom<T>& room,
                        const BatchRolloutRequest& request, int64_t trajectory,
                        const BatchRolloutResult& result) {
  const int32_t* const follow = request.choice == StepChoice::kFollow
                                    ? request.follow + trajectory * request.max_steps
                                    : nullptr;
  const auto start = static_cast<int32_t>(trajectory % request.trajectories);
  StepKey key = {request.seed, StreamOfStep(request.stream, request.steps),
                 request.first_trajectory + trajectory, 0};
  BeginProgram(group, task, room);
  TrajectoryEnd end = TrajectoryEnd::kDone;
  for (; !IsDone(room.place->state); ++key.step) {
    FindAllowed(group, task, room);
    const int32_t allowed = room.place->allowed;
    if (allowed == 0) {
      end = TrajectoryEnd::kUnreachable;
      break;
    }
    const int32_t wanted = follow == nullptr ? -1 : follow[key.step];
    if (follow != nullptr && (wanted < 0 || wanted >= task.size() || room.allowed[wanted] == 0)) {
      end = TrajectoryEnd::kForbidden;
      break;
    }
    // Where only one node is allowed, or the first is given, the network is not asked.
    const bool given = key.step == 0 && request.distinct_starts;
    if (!given && allowed > 1) {
      ChooseStep(group, task, room, request, key, wanted);
    } else {
      group.Once([&] {
        room.place->choice = wanted >= 0 ? wanted : AllowedNodeOf(room, given ? start : 0);
        room.place->agreements += given ? 0 : 1;
      });
    }
    group.Once([&] {
      result.choices[key.step] = room.place->choice;
      Take(*task.rules, room.place->choice, room.place->state, room.visited);
    });
  }
  group.Each(request.max_steps - key.step, [&](int32_t i) { result.choices[key.step + i] = -1; });
  group.Once([&] {
    *result.lengths = key.step;
    *result.costs = room.place->state.cost;
    *result.log_likelihoods = room.place->sum;
    *result.agreements = room.place->agreements;
    *result.ends = end;
  });
}

}  // namespace vrp
