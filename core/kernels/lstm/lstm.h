// LSTMs over sequences (Hochreiter and Schmidhuber 1997), forward and backward, on the calling
// thread. Gates and names are those of torch.nn.LSTM.
//
// Sequences of different lengths are stored step by step without padding, the longest first
// (torch's PackedSequence). Step t has rows first[t] .. first[t + 1] - 1. The caller computes the
// inputs of the gates that do not depend on the layer's state (input weights, biases), if possible
// for all steps together.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/isa.h"

namespace vrp {

// Row offsets of the steps of R sequences: [T + 1], beginning at 0. No step has more rows than its
// predecessor.
using StepRows = std::span<const int32_t>;

// Returns the stride of gates [rows, 4H], a cache line more than a row's length. Otherwise the rows
// of a product's block would fall into the same few sets of the L1 cache.
template <typename T>
constexpr int64_t GateStride(int64_t hidden_size) {
  return 4 * hidden_size + 64 / static_cast<int64_t>(sizeof(T));
}

// Functions of one instruction set or implementation of bf16 products.
template <typename T>
struct LstmKernels {
  // One step. Adds the product of `hidden` and `packed` to gates [rows, 4H], which hold the other
  // inputs in the order input, forget, candidate, output. Then activates the gates in place and
  // writes the next cell and hidden state [rows, H]. `packed` is W_hh^T in the layout of `pack`.
  // Steps of a run should alternate `from_last`, because half of W_hh is then still cached.
  struct Step {
    int64_t rows = 0;
    int64_t hidden_size = 0;  // H: a multiple of 16
    const T* packed = nullptr;
    bool from_last = false;     // whether the product begins with the last columns
    const T* hidden = nullptr;  // null: 0
    const T* cell = nullptr;
    T* gates = nullptr;
    T* next_cell = nullptr;
    T* next_hidden = nullptr;
    T* work = nullptr;  // work_size(rows, H) elements
  };
  void (*step)(const Step& step);
  // One step backward. Replaces `gates`, which `step` has activated, by their gradient. d_hidden
  // [rows, H] is the gradient with respect to the next hidden state. Replaces d_cell, the gradient
  // with respect to the next cell, by that with respect to the previous cell. Adds the gradient
  // with respect to the previous hidden state to d_before. `packed` is W_hh.
  struct BackwardStep {
    int64_t rows = 0;
    int64_t hidden_size = 0;
    const T* packed = nullptr;
    bool from_last = false;  // whether the product begins with the last columns
    const T* cell = nullptr;
    const T* next_cell = nullptr;
    const T* d_hidden = nullptr;
    T* d_cell = nullptr;
    T* gates = nullptr;
    T* d_before = nullptr;  // null: not needed
    T* work = nullptr;      // work_size(rows, 4H) elements
  };
  void (*backward_step)(const BackwardStep& step);
  // One product for all steps at once, with weights of an LSTM's size in the layout of `pack`.
  // Computes `to` [rows, columns] = a * packed + bias (null: none), or adds a * packed to `to`.
  struct Product {
    int64_t rows = 0;
    int64_t inner = 0;  // a multiple of 16
    int64_t columns = 0;
    const T* a = nullptr;
    int64_t a_stride = 0;
    const T* packed = nullptr;
    const T* bias = nullptr;
    bool add = false;  // whether to add to `to`, without a bias
    T* to = nullptr;
    int64_t to_stride = 0;
    T* work = nullptr;  // work_size(rows, inner) elements
  };
  void (*multiply)(const Product& product);
  int64_t (*work_size)(int64_t rows, int64_t inner);
  // Packs a linear layer's weight [outputs, inputs] for y = W x and for backward, to outputs *
  // inputs elements each. `outputs` and `inputs` are multiples of 16. Weights that are not rounded
  // to bf16 have the layout of DenseKernels::pack.
  void (*pack)(const T* weights, int64_t outputs, int64_t inputs, T* forward, T* back);
  // A weight's gradient. Computes `weights` [outputs, inputs] += a^T b with a [rows, outputs] and b
  // [rows, inputs]. Adds the sums of a's columns to `bias` [outputs] unless it is null. `outputs`
  // and `inputs` are multiples of 16.
  struct WeightGradient {
    int64_t rows = 0;
    const T* a = nullptr;
    int64_t a_stride = 0;
    int64_t outputs = 0;
    const T* b = nullptr;
    int64_t inputs = 0;
    T* weights = nullptr;
    T* bias = nullptr;
    T* scratch = nullptr;  // weight_scratch(inputs) elements
  };
  void (*add_weight_gradient)(const WeightGradient& job);
  int64_t (*weight_scratch)(int64_t inputs);
};

// Returns the kernels for `isa`. T is float or double.
template <typename T>
const LstmKernels<T>& LstmKernelsFor(Isa isa);
// Returns kernels whose products round their operands to bf16. Everything else (sums, states,
// gates, gradients) is in float. The CPU must be able to run `bf16`, which must not be kNone.
const LstmKernels<float>& Bf16LstmKernelsFor(Bf16 bf16);

// One layer's run over K rows. States begin with R rows for the initial state, so that row r of
// step t is R + first[t] + r.
template <typename T>
struct LstmRun {
  StepRows first;
  int64_t hidden_size = 0;
  bool from_zero = false;  // whether the initial hidden states are 0 and need no gradient
  T* gates = nullptr;      // [K, 4H]: inputs; then activated; after backward their gradient
  T* cells = nullptr;      // [R + K, H]
  T* hiddens = nullptr;    // [R + K, H]
  T* work = nullptr;       // work_size(R, H) elements, backward work_size(R, 4H)

  int64_t sequences() const { return first.size() > 1 ? first[1] : 0; }
  int64_t rows() const { return first.back(); }
  // Returns the first row of the states before step t.
  int64_t Before(int64_t t) const { return t == 0 ? 0 : sequences() + first[t - 1]; }
};

// Computes the states of one step, or of all steps. `packed` is W_hh^T.
template <typename T>
void LstmForwardStep(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run,
                     int64_t t);
template <typename T>
void LstmForward(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run);
// Computes the gradients of a run. `packed` is W_hh. d_hiddens [R + K, H] begins as the gradients
// with respect to the hidden states from other uses. The steps add to these gradients. Unless
// run.from_zero, the first R rows of d_hiddens end as the gradient with respect to the initial
// hidden states. Overwrites d_cells [R, H] with the gradient with respect to the initial cells.
template <typename T>
void LstmBackward(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run,
                  T* d_hiddens, T* d_cells);
// Copies the hidden states before each step, [K, H], for W_hh's gradient.
template <typename T>
void GatherPreviousHidden(const LstmRun<T>& run, T* to);

}  // namespace vrp
