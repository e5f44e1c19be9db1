// A step of the optimiser as programs for groups of threads. The groups sum squares by blocks of
// the gradient. One group decides whether to apply the step. Then the groups update the pieces and
// the weights' moving average.
#pragma once

#include "core/kernels/optimiser/adamw.h"
#include "core/kernels/optimiser/weight_average_step.h"

namespace vrp {

// State that persists between steps.
struct OptimiserState {
  int64_t steps = 0;        // of the run so far: index of the next learning rate
  int64_t updates = 0;      // applied steps, for Adam's bias corrections
  double norm = 0;          // of the last gradient, before clipping
  int32_t is_applied = 0;   // 0: the last step was skipped
  uint32_t arrived = 0;     // blocks whose sums are done, on CUDA
  AdamWFactors factors[2];  // of the last applied step; [1]: with weight decay
  float average_share = 0;  // of the last applied step
};

// Loss scaling by the rule of torch.amp.GradScaler. With null pointers, there is none.
struct LossScale {
  float* scale = nullptr;
  int32_t* steps = nullptr;  // since its last change
  double growth = 2;
  double backoff = 0.5;
  int32_t growth_interval = 2000;
};

// A task with views of one device's memory.
struct OptimiserTask {
  int64_t size = 0;
  UpdateArrays arrays;
  const UpdatePiece* pieces = nullptr;
  int32_t piece_count = 0;
  double* sums = nullptr;         // [NormBlocks(size)]
  const double* rates = nullptr;  // the learning rate of each step
  int64_t rate_count = 0;         // later steps use the last rate
  const double* loss = nullptr;   // a non-finite loss skips the step
  LossScale loss_scale;
  AdamWOptions adamw;
  double clip = 0;           // maximum norm of the gradient
  float* average = nullptr;  // [size]: moving average of the weights; null: none
  double average_decay = 0;
  OptimiserState* state = nullptr;
};

// Whether `value` is finite.
constexpr bool IsFinite(double value) { return value - value == 0; }

// Updates the loss scale like at::_amp_update_scale_.
constexpr void UpdateLossScale(const LossScale& loss, bool overflowed) {
  if (overflowed) {
    *loss.scale = static_cast<float>(*loss.scale * loss.backoff);
    *loss.steps = 0;
  } else if (++*loss.steps == loss.growth_interval) {
    const auto grown = static_cast<float>(*loss.scale * loss.growth);
    if (IsFinite(grown)) *loss.scale = grown;
    *loss.steps = 0;
  }
}

// Decides whether to apply the step, and computes its factors. Must run after the sums of all
// blocks.
template <typename Group>
VRP_DEVICE void DecideStep(const Group& group, const OptimiserTask& task, double* lanes) {
  // The pointer is volatile, because other blocks have just written the sums.
  const volatile double* const sums = task.sums;
  const double squares =
      SumInOrder(group, NormBlocks(task.size), lanes, [&](int64_t block) { return sums[block]; });
  group.Once([&] {
    OptimiserState& state = *task.state;
    const bool scaled = task.loss_scale.scale != nullptr;
    const double inverse = scaled ? 1 / double{*task.loss_scale.scale} : 1;
    state.norm = std::sqrt(squares) * inverse;
    const bool is_finite = IsFinite(state.norm);
    if (scaled) UpdateLossScale(task.loss_scale, !is_finite);
    const int64_t rate_index = state.steps < task.rate_count ? state.steps : task.rate_count - 1;
    ++state.steps;
    state.is_applied = is_finite && IsFinite(*task.loss) ? 1 : 0;
    if (state.is_applied == 0) return;
    ++state.updates;
    const double clip = state.norm > task.clip ? task.clip / state.norm : 1;
    for (int32_t decays = 0; decays < 2; ++decays) {
      state.factors[decays] = FactorsOf(task.adamw, {.learning_rate = task.rates[rate_index],
                                                     .scale = clip * inverse,
                                                     .updates = state.updates,
                                                     .decays = decays != 0});
    }
    if (task.average != nullptr) {
      state.average_share = AverageShare(task.average_decay, state.updates);
    }
  });
}

template <typename Group>
VRP_DEVICE void SumSquares(const Group& group, const OptimiserTask& task, int64_t block,
                           double* lanes) {
  const double sum = SquaresOfBlock(group, task.arrays.gradient, task.size, block, lanes);
  group.Once([&] { task.sums[block] = sum; });
}

template <typename Group>
VRP_DEVICE void UpdatePieceOf(const Group& group, const OptimiserTask& task, int32_t piece) {
  if (task.state->is_applied == 0) return;
  const UpdatePiece& update = task.pieces[piece];
  UpdateParameters(group, task.state->factors[update.decays ? 1 : 0], update, task.arrays);
  if (task.average == nullptr) return;
  const float share = task.state->average_share;
  const float* const values = task.arrays.values + update.first;
  float* const average = task.average + update.first;
  group.Each(update.count,
             [&](int32_t i) { average[i] = MovedAverage(average[i], values[i], share); });
}

}  // namespace vrp
