#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/stop_status.h"
#include "core/kernels/decoder/beam_search.h"
#include "core/model/pointer_network/pointer_pass.h"
#include "core/model/pointer_network/pointer_scores.h"

namespace vrp {
namespace {

// The beam searches of a group, with `width` rows each. The network also computes rows without an
// active tour; their results are ignored.
class GroupBeams {
 public:
  GroupBeams(int32_t max_steps, int32_t width, PointerGroup& group) : group_(group), width_(width) {
    const PointerInstance& last = group.instances.back();
    const int64_t rows = int64_t{group.count} * width;
    group.searches.resize(static_cast<size_t>(group.count));
    group.views.resize(static_cast<size_t>(rows));
    group.view_memory.Grow((last.columns + last.padded) * width * kPointerViewRows);
    for (int32_t b = 0; b < group.count; ++b) {
      BeamSearch& search = group.searches[b];
      search.Begin(group.instances[b].rules, width, max_steps);
      for (int32_t k = 0; k < width; ++k) Observe(b, k, 0);
    }
  }

  bool done() const {
    return std::all_of(group_.searches.begin(), group_.searches.end(),
                       [](const BeamSearch& search) { return search.done(); });
  }

  // Prepares the step of all active tours. Returns an instance with a tour that cannot continue, or
  // -1.
  int32_t ObserveAll() {
    for (int32_t b = 0; b < group_.count; ++b) {
      for (int32_t k = 0; k < group_.searches[b].size(); ++k) {
        if (!IsDone(group_.searches[b].state(k)) && !Observe(b, k, k)) return b;
      }
    }
    return -1;
  }

  // Returns the state that row k of instance b reads.
  const RouteState& State(int32_t b, int32_t k) const {
    const BeamSearch& search = group_.searches[b];
    return search.state(k < search.size() ? k : 0);
  }

  void Offer(int32_t b) {
    const PointerInstance& at = group_.instances[b];
    BeamSearch& search = group_.searches[b];
    std::vector<double>& offers = group_.offers;
    offers.resize(static_cast<size_t>(at.nodes));
    for (int32_t k = 0; k < search.size(); ++k) {
      if (IsDone(search.state(k))) continue;
      const float* const mask = group_.views[int64_t{b} * width_ + k].mask;
      const PointerScores scores(
          {group_.logits.data() + at.columns * width_ + k * at.padded, offers.size()}, mask);
      for (int32_t n = 0; n < at.nodes; ++n) offers[n] = scores.LogProbability(n);
      const bool is_finite = std::isfinite(scores.highest);
      search.Offer(k, offers.data(), is_finite ? scores.likeliest : NthAllowed(mask, at.nodes, 0));
    }
  }

 private:
  // Prepares a tour's step in row k. Returns false if no node is allowed.
  bool Observe(int32_t b, int32_t k, int32_t tour) {
    const PointerInstance& at = group_.instances[b];
    const BeamSearch& search = group_.searches[b];
    float* const memory =
        group_.view_memory.data() + (at.columns * width_ + k * at.padded) * kPointerViewRows;
    return ObserveStep(at, group_.distances.data(), search.state(tour), search.visited(tour),
                       memory, group_.views[int64_t{b} * width_ + k]);
  }

  PointerGroup& group_;
  const int32_t width_;
};

}  // namespace

// Moves the LSTM's states to the rows of the tours that continue them.
void PointerPass::MoveStates(int64_t width, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t rows = group.count * width;
  const int64_t size = options_.layers * rows * hidden;
  float* const next_hidden = group.next_hidden.Grow(size);
  float* const next_cell = group.next_cell.Grow(size);
  for (int64_t row = 0; row < rows; ++row) {
    const std::span<const int32_t> parents = group.searches[row / width].parents();
    const int64_t k = row % width;
    const int64_t from = row - k + (k < std::ssize(parents) ? parents[k] : 0);
    for (int64_t l = 0; l < options_.layers; ++l) {
      const int64_t at = (l * rows + from) * hidden;
      const int64_t to = (l * rows + row) * hidden;
      std::copy_n(group.step_hidden.data() + at, hidden, next_hidden + to);
      std::copy_n(group.step_cell.data() + at, hidden, next_cell + to);
    }
  }
  std::swap(group.step_hidden, group.next_hidden);
  std::swap(group.step_cell, group.next_cell);
}

absl::Status PointerPass::Beam(const RolloutRequest& request, PointerGroup& group,
                               TrajectoryTable& table) const {
  const int32_t width = table.count();
  GroupBeams beams(table.max_steps(), width, group);
  StartSteps(width, group);
  while (!beams.done()) {
    if (request.stop.ShouldStop()) return StopStatus(request.stop.Check());
    const int32_t stuck = beams.ObserveAll();
    if (stuck >= 0) {
      return table.Error(DecodeStatus::kUnreachable, group.first + stuck, request.stop);
    }
    for (int32_t b = 0; b < group.count; ++b) {
      for (int32_t k = 0; k < width; ++k) {
        const RouteState& state = beams.State(b, k);
        ReadNode(group.instances[b], state.current, state, int64_t{b} * width + k, group);
      }
    }
    ScoreStep(width, group);
    for (int32_t b = 0; b < group.count; ++b) {
      if (group.searches[b].done()) continue;
      beams.Offer(b);
      group.searches[b].Advance();
    }
    MoveStates(width, group);
  }
  for (int32_t b = 0; b < group.count; ++b) {
    group.searches[b].Write(table.Result<float>(group.first + b));
  }
  return absl::OkStatus();
}

}  // namespace vrp
