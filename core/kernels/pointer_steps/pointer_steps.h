// Both attentions of a decoder (Bello et al. 2016) for several steps on the same instance: the
// glimpse, multi-head attention over the nodes, and the pointer, whose scores are the nodes'
// logits. Scores of both depend on the nodes' features at the step too. The steps are all those of
// a trajectory, or one step of several trajectories. All functions run on the calling thread.
//
// Shapes: Q steps, N nodes padded to N', M heads of D channels (zero-padded), H hidden, F =
// kPointerDynamic. N', D and H are multiples of 16. Padding of instances' matrices is 0.
#pragma once

#include <cstdint>

#include "core/base/isa.h"
#include "core/kernels/routing/pointer_observation.h"

namespace vrp {

// A step's features of the nodes: rows of [N'].
template <typename T>
struct StepView {
  const T* mask = nullptr;                 // 0 for allowed nodes; -inf for others and padding
  const T* dynamic[kPointerDynamic] = {};  // 0 in the padding
};

// Inputs of the glimpse's attention, and its weights.
template <typename T>
struct GlimpseJob {
  int64_t steps = 0;                   // Q
  int64_t nodes = 0;                   // N
  int64_t padded_nodes = 0;            // N'
  int64_t heads = 0;                   // M
  int64_t channels = 0;                // D
  T scale = 1;                         // of queries times keys
  const StepView<T>* views = nullptr;  // [Q]
  const T* queries = nullptr;          // [Q, M D]
  const T* key_columns = nullptr;      // [M D, N']
  const T* values = nullptr;           // [N, M D]
  const T* dynamic_weight = nullptr;   // [M, F]
  T* weights = nullptr;                // [M, Q, N']: the attention, kept for backward
};

// Further inputs of the glimpse's backward pass, and its gradients.
template <typename T>
struct GlimpseBackJob {
  const T* keys = nullptr;           // [N, M D]
  const T* value_columns = nullptr;  // [M D, N']
  const T* d_glimpse = nullptr;      // [Q, M D]
  T* d_queries = nullptr;            // [Q, M D]; out
  T* d_keys = nullptr;               // [N, M D]; this and the next two are added to
  T* d_values = nullptr;             // [N, M D]
  T* d_dynamic_weight = nullptr;     // [M, F]
  T* scratch = nullptr;              // [Q, N']
};

// Inputs of the pointer, and its logits.
template <typename T>
struct PointerJob {
  int64_t steps = 0;                   // Q
  int64_t nodes = 0;                   // N
  int64_t padded_nodes = 0;            // N'
  int64_t hidden = 0;                  // H
  T clip = 10;                         // logit = clip * tanh(score)
  const StepView<T>* views = nullptr;  // [Q]
  const T* queries = nullptr;          // [Q, H]
  const T* key_columns = nullptr;      // [H, N']
  const T* dynamic_weights = nullptr;  // [Q, kPointerDynamicStride]
  T* logits = nullptr;                 // [Q, N']; masked: -inf
};

// Width of matrices with kPointerDynamic columns, padded for the products.
inline constexpr int64_t kPointerDynamicStride = 16;

// Further inputs of the pointer's backward pass, and its outputs.
template <typename T>
struct PointerBackJob {
  const int32_t* choices = nullptr;  // [Q]
  const T* weights = nullptr;        // [Q]: weights of `terms` in the loss
  T smoothing = 0;                   // term: (1 - s) log p(choice) + s mean of allowed log p
  const T* keys = nullptr;           // [N, H]
  T* terms = nullptr;                // [Q]; out
  T* likelihoods = nullptr;          // [Q]: log p(choice); out
  int32_t* likeliest = nullptr;      // [Q]; out
  T* d_queries = nullptr;            // [Q, H]; out
  T* d_keys = nullptr;               // [N, H]; added to
  T* d_dynamic_weights = nullptr;    // [Q, kPointerDynamicStride]; out
};

// Functions of one instruction set.
template <typename T>
struct PointerKernels {
  // Computes job.weights and `glimpse` [Q, M D], the values averaged with these weights.
  void (*glimpse)(const GlimpseJob<T>& job, T* glimpse);
  // Computes d_queries, and adds to the gradients of keys, values and dynamic weight.
  void (*glimpse_back)(const GlimpseJob<T>& job, const GlimpseBackJob<T>& back);
  // Computes job.logits.
  void (*logits)(const PointerJob<T>& job);
  // Replaces the logits by the gradient of sum(weights * terms) with respect to the scores before
  // tanh. Writes the outputs of `back` and adds to its d_keys.
  void (*logits_back)(const PointerJob<T>& job, const PointerBackJob<T>& back);
  // Transposes [rows, columns] to [columns, padded]. Pads with zeros.
  void (*transpose)(const T* from, int64_t rows, int64_t columns, int64_t padded, T* to);
  // Applies tanh to each element. `count` is a multiple of 16.
  void (*tanh)(T* values, int64_t count);
};

// Returns the kernels for `isa`. T is float or double.
template <typename T>
const PointerKernels<T>& PointerKernelsFor(Isa isa);

}  // namespace vrp
