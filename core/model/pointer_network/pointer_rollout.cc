// Rollouts of trajectories, in which the network chooses or choices are forced.
#include <algorithm>
#include <cmath>

#include "core/base/stop_status.h"
#include "core/model/pointer_network/pointer_draws.h"
#include "core/model/pointer_network/pointer_pass.h"
#include "core/model/pointer_network/pointer_scores.h"

namespace vrp {

namespace {

// The trajectories of a group during a rollout.
class GroupRollout {
 public:
  GroupRollout(const RolloutRequest& request, PointerGroup& group, TrajectoryTable& table)
      : request_(request), group_(group), table_(table), count_(table.count()) {
    const int64_t rows = int64_t{group.count} * count_;
    const PointerInstance& last = group.instances.back();
    group.states.resize(static_cast<size_t>(rows));
    group.visited.resize(static_cast<size_t>((last.row + last.nodes) * count_));
    group.views.resize(static_cast<size_t>(rows));
    group.view_memory.Grow((last.columns + last.padded) * count_ * kPointerViewRows);
    group.reads.assign(static_cast<size_t>(rows * table.max_steps()), 0);
    for (int32_t b = 0; b < group.count; ++b) {
      const DecodeResult<float> result = table.Result<float>(group.first + b);
      std::fill_n(result.choices, int64_t{count_} * result.max_steps, -1);
      std::fill_n(result.lengths, count_, 0);
      std::fill_n(result.log_likelihoods, count_, 0.0);
      std::fill_n(result.agreements, count_, 0);
      for (int32_t p = 0; p < count_; ++p) {
        State(b, p) = BeginTrajectory(group.instances[b].rules, Visited(b, p));
      }
    }
  }

  RouteState& State(int32_t b, int32_t p) { return group_.states[b * count_ + p]; }
  uint8_t* Visited(int32_t b, int32_t p) {
    const PointerInstance& at = group_.instances[b];
    return group_.visited.data() + at.row * count_ + p * at.nodes;
  }
  StepView<float>& View(int32_t b, int32_t p) { return group_.views[b * count_ + p]; }

  bool Observe(int32_t b, int32_t p) {
    const PointerInstance& at = group_.instances[b];
    float* const memory =
        group_.view_memory.data() + (at.columns * count_ + p * at.padded) * kPointerViewRows;
    return ObserveStep(at, group_.distances.data(), State(b, p), Visited(b, p), memory, View(b, p));
  }

  // Prepares the next step of all active trajectories. Sets `any` to whether there are some.
  absl::Status ObserveAll(bool& any) {
    any = false;
    for (int32_t b = 0; b < group_.count; ++b) {
      for (int32_t p = 0; p < count_; ++p) {
        if (IsDone(State(b, p))) continue;
        any = true;
        if (!Observe(b, p)) return Error(DecodeStatus::kUnreachable, b);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Error(DecodeStatus status, int32_t b) const {
    return table_.Error(status, group_.first + b, request_.stop);
  }

  // Moves to `node`. Returns false if it is not allowed.
  bool TryVisit(int32_t b, int32_t p, int32_t t, int32_t node) {
    const PointerInstance& at = group_.instances[b];
    RouteState& state = State(b, p);
    uint8_t* const visited = Visited(b, p);
    if (node < 0 || node >= at.nodes || !IsAllowed(at.rules, state, visited, node)) return false;
    Take(at.rules, node, state, visited);
    const DecodeResult<float> result = table_.Result<float>(group_.first + b);
    result.choices[int64_t{p} * result.max_steps + t] = node;
    result.lengths[p] = t + 1;
    result.costs[p] = MetricSum(at.rules.problem.metric, state.cost);
    return true;
  }

  int32_t ForcedChoice(int32_t b, int32_t p, int32_t t) const {
    const auto& choices = request_.choices[static_cast<size_t>(group_.first + b) * count_ + p];
    return t < std::ssize(choices) ? choices[t] : -1;
  }
  // Whether the trajectory is unfinished or has no forced choice at step t.
  bool HasNoForcedChoiceLeft(int32_t b, int32_t p, int32_t t) {
    return !IsDone(State(b, p)) || ForcedChoice(b, p, t) < 0;
  }
  int32_t& NodeRead(int32_t b, int32_t p, int32_t t) {
    return group_.reads[(int64_t{b} * count_ + p) * table_.max_steps() + t];
  }

  // Returns the node that the decoder reads at step t: the vehicle's position or, in scheduled
  // sampling, the network's own choice.
  int32_t ChooseNodeToRead(int32_t b, int32_t p, int32_t t) {
    int32_t read = State(b, p).current;
    if (IsDone(State(b, p))) return read;
    if (is_forced() && ReadsOwnChoice(request_, Number(b, p), t)) {
      read = group_.likeliest[int64_t{b} * count_ + p];
    }
    return NodeRead(b, p, t) = read;
  }

  // Chooses a node by the group's logits, in the way that the request asks for. Returns false if a
  // forced choice is not allowed.
  bool Choose(int32_t b, int32_t p, int32_t t) {
    const PointerInstance& at = group_.instances[b];
    const float* const mask = View(b, p).mask;
    const PointerScores scores(
        {group_.logits.data() + at.columns * count_ + p * at.padded, static_cast<size_t>(at.nodes)},
        mask);
    int32_t node = scores.likeliest;
    if (request_.choice == Choice::kSample) {
      node = scores.Draw(request_.temperature, DrawAt(request_, Number(b, p), t).choice);
    }
    group_.likeliest[int64_t{b} * count_ + p] = scores.likeliest;
    const bool starts = request_.distinct_starts && t == 0;
    if (is_forced()) {
      node = ForcedChoice(b, p, t);
    } else if (!std::isfinite(scores.highest)) {
      node = NthAllowed(mask, at.nodes, 0);
    } else if (starts) {
      node = NthAllowed(mask, at.nodes, p);
    }
    if (!TryVisit(b, p, t, node)) return false;
    if (starts) return true;
    const DecodeResult<float> result = table_.Result<float>(group_.first + b);
    result.log_likelihoods[p] += scores.LogProbability(node);
    result.agreements[p] += node == scores.likeliest ? 1 : 0;
    return true;
  }

 private:
  bool is_forced() const { return request_.choice == Choice::kForced; }
  int64_t Number(int32_t b, int32_t p) const {
    return (request_.first_instance + group_.first + b) * count_ + p;
  }

  const RolloutRequest& request_;
  PointerGroup& group_;
  TrajectoryTable& table_;
  const int32_t count_;
};

}  // namespace

absl::Status PointerPass::ReplayChoices(const RolloutRequest& request, PointerGroup& group,
                                        TrajectoryTable& table) const {
  GroupRollout rollout(request, group, table);
  for (int32_t b = 0; b < group.count; ++b) {
    for (int32_t p = 0; p < table.count(); ++p) {
      int32_t t = 0;
      for (; !IsDone(rollout.State(b, p)); ++t) {
        rollout.NodeRead(b, p, t) = rollout.State(b, p).current;
        if (!rollout.TryVisit(b, p, t, rollout.ForcedChoice(b, p, t))) {
          return rollout.Error(DecodeStatus::kForbidden, b);
        }
      }
      if (!rollout.HasNoForcedChoiceLeft(b, p, t))
        return rollout.Error(DecodeStatus::kForbidden, b);
    }
  }
  return StopStatus(request.stop.Check());
}

absl::Status PointerPass::Rollout(const RolloutRequest& request, PointerGroup& group,
                                  TrajectoryTable& table) const {
  const int32_t count = table.count();
  GroupRollout rollout(request, group, table);
  StartSteps(count, group);
  group.likeliest.assign(static_cast<size_t>(int64_t{group.count} * count), 0);
  for (int32_t t = 0;; ++t) {
    bool any = false;
    if (absl::Status status = rollout.ObserveAll(any); !status.ok()) return status;
    if (!any) break;
    if (request.stop.ShouldStop()) return StopStatus(request.stop.Check());
    for (int32_t b = 0; b < group.count; ++b) {
      for (int32_t p = 0; p < count; ++p) {
        const int64_t row = int64_t{b} * count + p;
        ReadNode(group.instances[b], rollout.ChooseNodeToRead(b, p, t), rollout.State(b, p), row,
                 group);
      }
    }
    ScoreStep(count, group);
    for (int32_t b = 0; b < group.count; ++b) {
      for (int32_t p = 0; p < count; ++p) {
        if (!IsDone(rollout.State(b, p)) && !rollout.Choose(b, p, t)) {
          return rollout.Error(DecodeStatus::kForbidden, b);
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace vrp
