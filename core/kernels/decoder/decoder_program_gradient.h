// The second pass of one trajectory as a program for a group of threads: log-likelihoods of given
// choices and their gradient, as defined in attention_decoder.h.
#pragma once

#include "core/kernels/decoder/decoder_program_score.h"

namespace vrp {

// SecondPassRequest for a whole batch.
struct BatchSecondPassRequest {
  int32_t trajectories = 1;      // P
  bool distinct_starts = false;  // whether the first choices are given
  double label_smoothing = 0;
  int32_t max_steps = 0;             // T
  const int32_t* choices = nullptr;  // [B, P, T] of allowed nodes, -1 after the end
  const double* weights = nullptr;   // [B, P]; null: all 0
};

// The second pass of one trajectory. Handles the steps t with t % parts == part, so that several
// groups can share the work.
struct TrajectoryPass {
  const int32_t* choices = nullptr;  // [T]
  double weight = 0;
  int32_t part = 0;
  int32_t parts = 1;
  double* log_likelihood = nullptr;  // the pass adds to it
};

// Computes the gradient with respect to the dot products of glimpse and logit keys. Adds the step's
// (smoothed) log-likelihood to the trajectory's sum.
template <typename Group, typename T>
VRP_DEVICE void LogitGradient(const Group& group, const DecoderTask<T>& task,
                              const DecoderScratch<T>& scratch, T weight, T smoothing,
                              int32_t choice) {
  const T share = smoothing / static_cast<T>(scratch.step->allowed);
  const T factor = weight * task.clip * task.logit_scale;
  group.Each(task.size(), [&](int32_t n) {
    const T wanted = share + (n == choice ? 1 - smoothing : T{0});
    const T tanh = scratch.tanhs[n];
    scratch.d_dots[n] =
        scratch.allowed[n] == 0
            ? T{0}
            : factor * (wanted - scratch.exps[n] / scratch.step->total) * (1 - tanh * tanh);
  });
  group.Rows(1, [&](const auto& lanes, int32_t) {
    const T likelihood = LogLikelihoodOf(task, scratch, choice);
    T mean = 0;
    if (smoothing > 0) {
      mean = share * lanes.template Sum<T>(task.size(), [&](int32_t n) {
        return scratch.allowed[n] == 0 ? T{0} : LogLikelihoodOf(task, scratch, n);
      });
    }
    lanes.Once([&] {
      scratch.step->log_likelihood_sum += static_cast<double>((1 - smoothing) * likelihood + mean);
    });
  });
}

// Computes the gradient with respect to the glimpse and the attention's scores. Adds the gradient
// with respect to the logit keys to `gradient`.
template <typename Group, typename T>
VRP_DEVICE void ScoreGradient(const Group& group, const DecoderTask<T>& task,
                              const DecoderScratch<T>& scratch, const DecoderNodes<T>& gradient) {
  const int32_t count = task.size();
  const int64_t stride = task.row_stride;
  group.Each(task.hidden, [&](int32_t h) {
    T sum = 0;
    for (int32_t n = 0; n < count; ++n) {
      if (scratch.allowed[n] == 0) continue;
      sum += scratch.d_dots[n] * task.nodes.logit_keys[n * stride + h];
      group.Add(gradient.logit_keys[n * gradient.stride + h],
                scratch.d_dots[n] * scratch.glimpse[h]);
    }
    scratch.d_glimpse[h] = sum;
  });
  // The mean is the dot product of the glimpse and its gradient (Dao et al. 2022, FlashAttention).
  group.Each(task.heads, [&](int32_t m) {
    scratch.means[m] = DotOf<T>(task, scratch.glimpse, scratch.d_glimpse, m, m);
  });
  group.Each(count * task.heads, [&](int32_t i) {
    const int32_t n = i / task.heads;
    const int32_t m = i % task.heads;
    const T* const value = task.nodes.values + n * stride;
    const T d_weight = DotOf<T>(task, scratch.d_glimpse, value, m, i);
    scratch.d_scores[m * count + n] =
        scratch.weights[m * count + n] * (d_weight - scratch.means[m]);
  });
}

// Adds the gradient of the query's terms.
template <typename Group, typename T>
VRP_DEVICE void AddToQuery(const Group& group, const DecoderTask<T>& task,
                           const DecoderStepState<T>& step, const DecoderNodes<T>& gradient,
                           int32_t h, T value) {
  const RouteState& state = step.state;
  if (task.rules->problem.tsp && state.first < 0) {
    group.Add(gradient.start_query[h], value);
    return;
  }
  group.Add(gradient.base_query[h], value);
  group.Add(gradient.queries[state.current * gradient.stride + h], value);
  if (state.first >= 0) {
    group.Add(gradient.first_queries[state.first * gradient.stride + h], value);
  }
  if (gradient.shares_weight == nullptr) return;
  for (int32_t k = 0; k < kContextShares; ++k) {
    if (step.shares[k] == 0) continue;
    group.Add(gradient.shares_weight[k * task.hidden + h], value * step.shares[k]);
  }
}

// Adds the gradient of a scored step.
template <typename Group, typename T>
VRP_DEVICE void AddStepGradient(const Group& group, const DecoderTask<T>& task,
                                const DecoderScratch<T>& scratch, const DecoderNodes<T>& gradient) {
  ScoreGradient(group, task, scratch, gradient);
  const int32_t count = task.size();
  group.Each(task.hidden, [&](int32_t h) {
    const T* const weights = scratch.weights + h / task.head * count;
    const T* const d_scores = scratch.d_scores + h / task.head * count;
    T d_query = 0;
    for (int32_t n = 0; n < count; ++n) {
      if (scratch.allowed[n] == 0) continue;
      d_query += d_scores[n] * task.nodes.keys[n * task.row_stride + h];
      group.Add(gradient.values[n * gradient.stride + h], weights[n] * scratch.d_glimpse[h]);
      group.Add(gradient.keys[n * gradient.stride + h], d_scores[n] * scratch.query[h]);
    }
    AddToQuery(group, task, *scratch.step, gradient, h, d_query * task.query_scale);
  });
}

// Runs the pass. Adds to the trajectory's log-likelihood and, unless gradient.keys is null, to
// `gradient`.
template <typename Group, typename T>
VRP_DEVICE void RunSecondPass(const Group& group, const DecoderTask<T>& task,
                              const DecoderScratch<T>& scratch,
                              const BatchSecondPassRequest& request, const TrajectoryPass& pass,
                              const DecoderNodes<T>& gradient) {
  BeginProgram(group, task, scratch);
  for (int32_t t = 0; t < request.max_steps && pass.choices[t] >= 0; ++t) {
    if (IsDone(scratch.step->state)) break;
    if ((t > 0 || !request.distinct_starts) && t % pass.parts == pass.part) {
      FindAllowed(group, task, scratch);
      if (scratch.step->allowed > 1) {
        ScoreStep(group, task, scratch);
        LogitGradient(group, task, scratch, static_cast<T>(pass.weight),
                      static_cast<T>(request.label_smoothing), pass.choices[t]);
        if (gradient.keys != nullptr) AddStepGradient(group, task, scratch, gradient);
      }
    }
    TakeStep(group, task, scratch, pass.choices[t]);
  }
  group.Once([&] { group.Add(*pass.log_likelihood, scratch.step->log_likelihood_sum); });
}

}  // namespace vrp
