// Improvement of one plan by a few cooperating threads (lanes of core/kernels/support/group.h). The
// program consists of a descent, rounds of ruin and recreate under simulated annealing, and a final
// descent. Uses integers and counter-based random numbers, so that every device computes the same
// plan.
#pragma once

#include <cstdint>

#include "core/kernels/improve/descent.h"
#include "core/kernels/improve/recreate.h"
#include "core/kernels/improve/ruin.h"

namespace vrp {

// Number of temperatures of the annealing, and number of logarithms that an acceptance draws from.
inline constexpr int32_t kCoolingSteps = 64;
inline constexpr int32_t kLogSteps = 256;

// Tables that MakeAnnealingTable computes on the host, so that rounding of logarithms does not
// depend on the device.
struct AnnealingTable {
  int32_t temperatures[kCoolingSteps] = {};  // 65,536ths of the mean leg
  int32_t logs[kLogSteps] = {};              // 4,096ths of -ln((i + 1/2) / kLogSteps)
};

// The rounds of a call, and their random numbers.
struct ImproveRequest {
  AnnealingTable annealing;
  uint64_t seed = 1;
  int32_t rounds = 0;  // in total
  // The rounds of this call. The first call begins with round 0, and the last one ends with
  // `rounds`.
  int32_t first_round = 0;
  int32_t end_round = 0;
};

// Instances, and their plans between calls.
struct ImproveBatch {
  int32_t instances = 0;               // B
  int32_t nodes = 2;                   // of the largest instance
  int32_t routes = 1;                  // of the largest instance
  const ImproveTask* tasks = nullptr;  // [B]
  uint8_t* current = nullptr;          // [B, plan_bytes()]: in and out
  uint8_t* best = nullptr;             // [B, plan_bytes()]: out, and in after the first call

  VRP_DEVICE int64_t plan_bytes() const { return PlanBytes(nodes, routes); }
};

// Whether simulated annealing accepts the trial. `word` is random.
VRP_DEVICE inline bool Accepts(const ImproveRequest& request, const ImproveScratch& scratch,
                               int32_t round, uint32_t word) {
  const auto step = static_cast<int32_t>(int64_t{round} * kCoolingSteps / request.rounds);
  const int64_t mean_leg = scratch.current.header->mean_leg;
  const int64_t temperature = mean_leg * request.annealing.temperatures[step] >> 16;
  const int64_t max_increase = temperature * request.annealing.logs[word % kLogSteps] >> 12;
  return scratch.state->delta <= max_increase;
}

// Runs one round of ruin and recreate. Copies a new best plan to `best`.
template <typename Lanes>
VRP_DEVICE void ImproveRound(const Lanes& lanes, const ImproveTask& task,
                             const ImproveScratch& scratch, const LinkedPlan& best,
                             const ImproveRequest& request, int32_t round) {
  ImproveState& state = *scratch.state;
  lanes.Once([&] {
    ImproveRandom random(request.seed, static_cast<uint32_t>(round));
    state.word = random.Next();
    Ruin(task, scratch, random);
  });
  const bool complete = Recreate(lanes, task, scratch);
  lanes.Once([&] {
    state.accepted = complete && Accepts(request, scratch, round, MixedWord(state.word, 0));
    if (state.accepted) scratch.trial.header->cost += state.delta;
    state.improved = state.accepted && scratch.trial.header->cost < state.best;
    if (state.improved) state.best = scratch.trial.header->cost;
  });
  const int64_t bytes = PlanBytes(task.nodes, task.routes);
  if (state.improved) CopyPlan(lanes, bytes, scratch.trial, best);
  if (state.accepted) {
    CopyPlan(lanes, bytes, scratch.trial, scratch.current);
  } else {
    CopyPlan(lanes, bytes, scratch.current, scratch.trial);
  }
}

// Prepares the first call: neighbour lists, a descent, and the mean leg.
template <typename Lanes>
VRP_DEVICE void BeginImprovement(const Lanes& lanes, const ImproveTask& task,
                                 const ImproveScratch& scratch, const LinkedPlan& best) {
  ListNeighbours(lanes, task);
  Descend(lanes, task, scratch);
  lanes.Once([&] {
    int32_t used = 0;
    for (int32_t r = 0; r < task.routes; ++r) used += scratch.trial.counts[r] > 0 ? 1 : 0;
    PlanHeader& header = *scratch.trial.header;
    header.mean_leg = header.cost / (task.nodes - 1 + used);
  });
  CopyPlan(lanes, PlanBytes(task.nodes, task.routes), scratch.trial, best);
}

// Runs one call for instance `number` < B. All customers must be routed, and header->cost must be
// the plan's cost.
template <typename Lanes>
VRP_DEVICE void Improve(const Lanes& lanes, const ImproveBatch& batch,
                        const ImproveScratch& scratch, const ImproveRequest& request,
                        int32_t number) {
  const ImproveTask task = batch.tasks[number];  // read once
  const int64_t bytes = PlanBytes(task.nodes, task.routes);
  const int64_t offset = number * batch.plan_bytes();
  const LinkedPlan saved = PlanAt(task.nodes, task.routes, batch.current + offset);
  const LinkedPlan best = PlanAt(task.nodes, task.routes, batch.best + offset);
  CopyPlan(lanes, bytes, saved, scratch.trial);
  if (request.first_round == 0) BeginImprovement(lanes, task, scratch, best);
  CopyPlan(lanes, bytes, scratch.trial, scratch.current);
  lanes.Once([&] { scratch.state->best = best.header->cost; });
  for (int32_t round = request.first_round; round < request.end_round; ++round) {
    ImproveRound(lanes, task, scratch, best, request, round);
  }
  if (request.end_round < request.rounds) {
    CopyPlan(lanes, bytes, scratch.current, saved);
    return;
  }
  CopyPlan(lanes, bytes, best, scratch.trial);
  Descend(lanes, task, scratch);
  CopyPlan(lanes, bytes, scratch.trial, best);
}

}  // namespace vrp
