// Scheduled sampling (Bengio et al. 2015): along forced choices, the decoder sometimes reads the
// node that the network would have chosen without the decoder's dropout.
//
// The network finds those nodes step by step. The lowest layer has no dropout on its inputs, so the
// second pass reuses its steps. The layers above run before the trajectory's last step that reads
// an own choice. Attention runs only if the next step reads one.
#include <algorithm>

#include "core/model/pointer_network/pointer_draws.h"
#include "core/model/pointer_network/pointer_pass.h"
#include "core/model/pointer_network/pointer_scores.h"

namespace vrp {

// The state of the sorted trajectories.
struct PointerPass::OwnChoices {
  std::vector<uint8_t> reads;    // [steps]: whether a step reads the network's own choice
  std::vector<int32_t> last;     // [R]: the last step that reads one; 0: none
  std::vector<int32_t> running;  // trajectories that have not reached that step
  int64_t max_steps = 0;
};

void PointerPass::ReadOwnChoices(const SecondPass& pass, PointerGroup& group) const {
  const RolloutRequest& request = pass.request->rollout;
  const int64_t number = (request.first_instance + group.first) * pass.table->count();
  OwnChoices own{.reads = std::vector<uint8_t>(static_cast<size_t>(group.step_offsets.back())),
                 .last = std::vector<int32_t>(group.by_length.size()),
                 .running = {},
                 .max_steps = pass.table->max_steps()};
  for (size_t r = 0; r < group.by_length.size(); ++r) {
    for (int32_t t = 1; t < group.step_offsets[r + 1] - group.step_offsets[r]; ++t) {
      if (!ReadsOwnChoice(request, number + group.by_length[r], t)) continue;
      own.reads[static_cast<size_t>(group.step_offsets[r] + t)] = 1;
      own.last[r] = t;
    }
  }
  StartOwnChoices(own, group);
  PointerStack& stack = group.decoder;
  const PointerLayer& lowest = weights_.decoder[0];
  for (int64_t t = 0; t + 1 < std::ssize(stack.first); ++t) {
    GatherStepInputs(*pass.table, t, t + 1, group);
    LstmForwardStep<float>(*lowest.recurrent.kernels, lowest.recurrent.forward.data(),
                           RunOf(lowest, 0, stack), t);
    StepOwnChoices(t, own, group);
  }
  stack.done = 1;
}

// Copies the first states of the layers above the lowest.
void PointerPass::StartOwnChoices(OwnChoices& own, PointerGroup& group) const {
  const int64_t size = std::ssize(group.by_length) * options_.hidden;
  group.step_hidden.Grow(options_.layers * size);
  group.step_cell.Grow(options_.layers * size);
  group.step_gates.Grow(std::ssize(group.by_length) * gate_stride_);
  own.running.resize(group.by_length.size());
  for (size_t r = 0; r < group.by_length.size(); ++r) own.running[r] = static_cast<int32_t>(r);
  for (int64_t l = 0; l < options_.layers; ++l) {
    std::copy_n(group.decoder.hiddens[l].data(), size, group.step_hidden.data() + l * size);
    std::copy_n(group.decoder.cells[l].data(), size, group.step_cell.data() + l * size);
  }
}

// Runs step t of the layers above the lowest and chooses the nodes that the next step reads.
void PointerPass::StepOwnChoices(int64_t t, OwnChoices& own, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t size = std::ssize(group.by_length) * hidden;
  const PointerStack& stack = group.decoder;
  const float* const below =
      stack.hiddens[0].data() + (stack.sequences() + stack.first[t]) * hidden;
  int64_t kept = 0;
  for (int64_t i = 0; i < std::ssize(own.running); ++i) {
    const int32_t r = own.running[i];
    if (own.last[r] <= t) continue;
    std::copy_n(below + r * hidden, hidden, group.step_hidden.data() + kept * hidden);
    for (int64_t l = 1; l < options_.layers && kept < i; ++l) {
      for (Floats* states : {&group.step_hidden, &group.step_cell}) {
        float* const layer = states->data() + l * size;
        std::copy_n(layer + i * hidden, hidden, layer + kept * hidden);
      }
    }
    own.running[kept++] = r;
  }
  own.running.resize(static_cast<size_t>(kept));
  if (kept == 0) return;
  for (int64_t l = 1; l < options_.layers; ++l) StepLayer(l, kept, size, group);
  ChooseOwn(t, own, group);
}

void PointerPass::ChooseOwn(int64_t t, const OwnChoices& own, PointerGroup& group) const {
  const int64_t hidden = options_.hidden;
  const int64_t size = std::ssize(group.by_length) * hidden;
  const float* const top = group.step_hidden.data() + (options_.layers - 1) * size;
  const PointerInstance& last = group.instances.back();
  const int64_t trajectories = std::ssize(group.by_length) / group.count;
  float* logits = group.logits.Grow((last.columns + last.padded) * trajectories);
  float* outputs = group.outputs.Grow(std::ssize(own.running) * hidden);
  std::vector<ScoredRows> parts;
  std::vector<int32_t> readers;
  for (size_t i = 0; i < own.running.size(); ++i) {
    const int32_t r = own.running[i];
    const int64_t position = group.step_offsets[r] + t;
    if (own.reads[static_cast<size_t>(position + 1)] == 0) continue;
    const PointerInstance& at = group.instances[group.by_length[r] / trajectories];
    outputs = std::copy_n(top + static_cast<int64_t>(i) * hidden, hidden, outputs);
    parts.push_back({&at, std::ssize(parts), 1, group.views.data() + position, logits});
    readers.push_back(r);
    logits += at.padded;
  }
  if (parts.empty()) return;
  Score({group.outputs.data(), hidden, std::ssize(parts), &group.decoder.work}, parts, group);
  for (size_t i = 0; i < parts.size(); ++i) {
    const PointerScores scores({parts[i].logits, static_cast<size_t>(parts[i].at->nodes)},
                               parts[i].views->mask);
    group.reads[group.by_length[readers[i]] * own.max_steps + t + 1] = scores.likeliest;
  }
}

}  // namespace vrp
