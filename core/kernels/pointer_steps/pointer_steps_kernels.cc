#include "core/kernels/pointer_steps/pointer_steps_kernels.h"

#include "core/kernels/simd/gemm.h"
#include "core/kernels/simd/math.h"

namespace vrp::simd::VRP_SIMD_NAMESPACE {

// Returns the sum of weight[f] * dynamic[f][n .. n + kLanes - 1].
template <typename T>
inline __attribute__((always_inline)) Vec<T> Dynamic(const StepView<T>& view, const T* weight,
                                                     int64_t n) {
  Vec<T> sum = Load<T>(view.dynamic[0] + n) * weight[0];
#pragma GCC unroll 8
  for (int32_t f = 1; f < kPointerDynamic; ++f) sum += Load<T>(view.dynamic[f] + n) * weight[f];
  return sum;
}

// Turns scores [N'] into weights that sum to 1.
template <typename T>
inline void Softmax(T* scores, int64_t nodes, Vec<T> highest) {
  const T largest = MaxOf<T>(highest);
  Vec<T> sums = {};
  for (int64_t n = 0; n < nodes; n += kLanes<T>) {
    const Vec<T> value = Exp<T>(Load<T>(scores + n) - largest);
    sums += value;
    Store<T>(scores + n, value);
  }
  const T share = static_cast<T>(1) / Sum<T>(sums);
  for (int64_t n = 0; n < nodes; n += kLanes<T>) Store<T>(scores + n, Load<T>(scores + n) * share);
}

template <typename T>
void GlimpseForward(const GlimpseJob<T>& job, T* glimpse) {
  const int64_t nodes = job.padded_nodes;
  const int64_t width = job.heads * job.channels;
  for (int64_t m = 0; m < job.heads; ++m) {
    T* const weights = job.weights + m * job.steps * nodes;
    const int64_t at = m * job.channels;
    Multiply<T>({job.queries + at, width, 1}, {job.key_columns + at * nodes, nodes, false},
                job.steps, job.channels, nodes, StoreTo<T>{weights, nodes});
    for (int64_t q = 0; q < job.steps; ++q) {
      const StepView<T>& view = job.views[q];
      T* const scores = weights + q * nodes;
      Vec<T> highest = Broadcast<T>(static_cast<T>(-__builtin_inf()));
      for (int64_t n = 0; n < nodes; n += kLanes<T>) {
        const Vec<T> score = Load<T>(scores + n) * job.scale +
                             Dynamic<T>(view, job.dynamic_weight + m * kPointerDynamic, n) +
                             Load<T>(view.mask + n);
        highest = Max<T>(score, highest);
        Store<T>(scores + n, score);
      }
      Softmax<T>(scores, nodes, highest);
    }
    Multiply<T>({weights, nodes, 1}, {job.values + at, width, false}, job.steps, job.nodes,
                job.channels, StoreTo<T>{glimpse + at, width});
  }
}

// Turns d_scores [Q, N'] from gradients with respect to the attention into gradients with respect
// to the scores. Adds the gradient of the dynamic weight to d_weight [F].
template <typename T>
inline void SoftmaxBack(const GlimpseJob<T>& job, const T* weights, T* d_scores, T* d_weight) {
  const int64_t nodes = job.padded_nodes;
  Vec<T> sums[kPointerDynamic] = {};
  for (int64_t q = 0; q < job.steps; ++q) {
    const T* const weight = weights + q * nodes;
    T* const d_score = d_scores + q * nodes;
    Vec<T> products = {};
    for (int64_t n = 0; n < nodes; n += kLanes<T>) {
      products += Load<T>(weight + n) * Load<T>(d_score + n);
    }
    const T mean = Sum<T>(products);
    for (int64_t n = 0; n < nodes; n += kLanes<T>) {
      const Vec<T> value = Load<T>(weight + n) * (Load<T>(d_score + n) - mean);
#pragma GCC unroll 8
      for (int32_t f = 0; f < kPointerDynamic; ++f) {
        sums[f] += value * Load<T>(job.views[q].dynamic[f] + n);
      }
      Store<T>(d_score + n, value * job.scale);
    }
  }
  for (int32_t f = 0; f < kPointerDynamic; ++f) d_weight[f] += Sum<T>(sums[f]);
}

template <typename T>
void GlimpseBackward(const GlimpseJob<T>& job, const GlimpseBackJob<T>& back) {
  const int64_t nodes = job.padded_nodes;
  const int64_t width = job.heads * job.channels;
  for (int64_t m = 0; m < job.heads; ++m) {
    const T* const weights = job.weights + m * job.steps * nodes;
    const int64_t at = m * job.channels;
    Multiply<T>({weights, 1, nodes}, {back.d_glimpse + at, width, false}, job.nodes, job.steps,
                job.channels, AddTo<T>{back.d_values + at, width});
    Multiply<T>({back.d_glimpse + at, width, 1}, {back.value_columns + at * nodes, nodes, false},
                job.steps, job.channels, nodes, StoreTo<T>{back.scratch, nodes});
    SoftmaxBack<T>(job, weights, back.scratch, back.d_dynamic_weight + m * kPointerDynamic);
    Multiply<T>({back.scratch, nodes, 1}, {back.keys + at, width, false}, job.steps, job.nodes,
                job.channels, StoreTo<T>{back.d_queries + at, width});
    Multiply<T>({back.scratch, 1, nodes}, {job.queries + at, width, false}, job.nodes, job.steps,
                job.channels, AddTo<T>{back.d_keys + at, width});
  }
}

template <typename T>
void Logits(const PointerJob<T>& job) {
  const int64_t nodes = job.padded_nodes;
  Multiply<T>({job.queries, job.hidden, 1}, {job.key_columns, nodes, false}, job.steps, job.hidden,
              nodes, StoreTo<T>{job.logits, nodes});
  for (int64_t q = 0; q < job.steps; ++q) {
    T* const logits = job.logits + q * nodes;
    const T* const weight = job.dynamic_weights + q * kPointerDynamicStride;
    for (int64_t n = 0; n < nodes; n += kLanes<T>) {
      const Vec<T> score = Load<T>(logits + n) + Dynamic<T>(job.views[q], weight, n);
      Store<T>(logits + n, Tanh<T>(score) * job.clip + Load<T>(job.views[q].mask + n));
    }
  }
}

// Turns a row of logits into the gradient with respect to the scores before tanh. Also writes the
// step's term, likelihood, likeliest node and d_dynamic_weights.
template <typename T>
inline void LogitsRowBack(const PointerJob<T>& job, const PointerBackJob<T>& back, int64_t q) {
  const int64_t nodes = job.padded_nodes;
  T* const logits = job.logits + q * nodes;
  const StepView<T>& view = job.views[q];
  int32_t best = 0;
  T allowed = 0;
  T allowed_sum = 0;  // sum of the allowed logits
  for (int64_t n = 0; n < job.nodes; ++n) {
    if (view.mask[n] != 0) continue;
    allowed += 1;
    allowed_sum += logits[n];
    if (!(logits[n] <= logits[best]) || view.mask[best] != 0) best = static_cast<int32_t>(n);
  }
  const T largest = logits[best];
  Vec<T> sums = {};
  for (int64_t n = 0; n < nodes; n += kLanes<T>) sums += Exp<T>(Load<T>(logits + n) - largest);
  const T sum = Sum<T>(sums);
  const T log_sum = largest + static_cast<T>(__builtin_log(static_cast<double>(sum)));
  const int32_t choice = back.choices[q];
  const T likelihood = logits[choice] - log_sum;
  back.likeliest[q] = best;
  back.likelihoods[q] = likelihood;
  back.terms[q] =
      (1 - back.smoothing) * likelihood + back.smoothing * (allowed_sum / allowed - log_sum);
  const T weight = back.weights[q];
  const T chosen = weight * (1 - back.smoothing);
  const T each = weight * back.smoothing / allowed;
  const T slope = 1 / job.clip;
  const auto gradient = [&](Vec<T> logit, Vec<T> mask, Vec<T> d_logit) {
    const Vec<T> squashed = logit * slope;
    const Vec<T> value = d_logit * job.clip * (static_cast<T>(1) - squashed * squashed);
    return mask == Vec<T>{} ? value : Vec<T>{};
  };
  const T squashed_choice = logits[choice] * slope;
  const T extra = chosen * job.clip * (1 - squashed_choice * squashed_choice);
  Vec<T> d_weights[kPointerDynamic] = {};
  for (int64_t n = 0; n < nodes; n += kLanes<T>) {
    const Vec<T> logit = Load<T>(logits + n);
    const Vec<T> share = Exp<T>(logit - log_sum);
    Store<T>(logits + n, gradient(logit, Load<T>(view.mask + n), each - share * weight));
  }
  logits[choice] += extra;
  for (int64_t n = 0; n < nodes; n += kLanes<T>) {
    for (int32_t f = 0; f < kPointerDynamic; ++f) {
      d_weights[f] += Load<T>(logits + n) * Load<T>(view.dynamic[f] + n);
    }
  }
  T* const to = back.d_dynamic_weights + q * kPointerDynamicStride;
  for (int64_t f = 0; f < kPointerDynamicStride; ++f) {
    to[f] = f < kPointerDynamic ? Sum<T>(d_weights[f]) : T{0};
  }
}

template <typename T>
void LogitsBack(const PointerJob<T>& job, const PointerBackJob<T>& back) {
  const int64_t nodes = job.padded_nodes;
  for (int64_t q = 0; q < job.steps; ++q) LogitsRowBack<T>(job, back, q);
  Multiply<T>({job.logits, nodes, 1}, {back.keys, job.hidden, false}, job.steps, job.nodes,
              job.hidden, StoreTo<T>{back.d_queries, job.hidden});
  Multiply<T>({job.logits, 1, nodes}, {job.queries, job.hidden, false}, job.nodes, job.steps,
              job.hidden, AddTo<T>{back.d_keys, job.hidden});
}

template <typename T>
void Transpose(const T* from, int64_t rows, int64_t columns, int64_t padded, T* to) {
  constexpr int64_t kTile = 16;  // of both sides: its lines stay in the L1 cache
  for (int64_t first = 0; first < padded; first += kTile) {
    const int64_t last = first + kTile < padded ? first + kTile : padded;
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = first; i < last; ++i) {
        to[j * padded + i] = i < rows ? from[i * columns + j] : T{0};
      }
    }
  }
}

template <typename T>
void TanhAll(T* values, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes<T>) Store<T>(values + i, Tanh<T>(Load<T>(values + i)));
}

template <typename T>
PointerKernels<T> MakePointerKernels() {
  return {GlimpseForward<T>, GlimpseBackward<T>, Logits<T>,
          LogitsBack<T>,     Transpose<T>,       TanhAll<T>};
}
template PointerKernels<float> MakePointerKernels<float>();
template PointerKernels<double> MakePointerKernels<double>();

}  // namespace vrp::simd::VRP_SIMD_NAMESPACE
