// LSTMs over sequences (Hochreiter and Schmidhuber 1997; gates and names as torch.nn.LSTM), forward
// and backward, on the calling thread.
//
// Sequences of different lengths are laid out step by step, without padding (torch's
// PackedSequence): the longest first, and step t's rows are first[t] .. first[t + 1] - 1. What goes
// in at a step besides the layer's own state (input weights, biases) is computed by the caller for
// all steps at once where it is known.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/isa.h"

namespace vrp {

// Steps of R sequences: [T + 1], beginning with 0; as many rows as before or fewer at each step.
using StepRows = std::span<const int32_t>;

// Elements between rows of gates [rows, 4H]: a line more than they fill, or the rows of a product's
// block would fall into the same few sets of the first-level cache.
template <typename T>
constexpr int64_t GateStride(int64_t hidden_size) {
  return 4 * hidden_size + 64 / static_cast<int64_t>(sizeof(T));
}

template <typename T>
struct LstmKernels {
  // gates [rows, 4H] (what goes in; gates in the order input, forget, candidate, output) += hidden
  // packed, and are activated in place; to the next cell and hidden state [rows, H]. `packed` is
  // W_hh^T as `pack` lays it out. Steps of a run should alternate `from_last`: W_hh is then half in
  // the cache.
  struct Step {
    int64_t rows = 0;
    int64_t hidden_size = 0;  // H: a multiple of 16
    const T* packed = nullptr;
    bool from_last = false;
    const T* hidden = nullptr;  // null: 0
    const T* cell = nullptr;
    T* gates = nullptr;
    T* next_cell = nullptr;
    T* next_hidden = nullptr;
    T* work = nullptr;  // work_size(rows, H) elements
  };
  void (*step)(const Step& step);
  // Back through one step: `gates` as Step left them become their gradient. d_hidden [rows, H] is
  // the loss's gradient by the next hidden state, d_cell by the next cell, replaced by that by the
  // cell before; that by the hidden state before is added to d_before. `packed`: W_hh.
  struct StepBack {
    int64_t rows = 0;
    int64_t hidden_size = 0;
    const T* packed = nullptr;
    bool from_last = false;
    const T* cell = nullptr;
    const T* next_cell = nullptr;
    const T* d_hidden = nullptr;
    T* d_cell = nullptr;
    T* gates = nullptr;
    T* d_before = nullptr;  // null: not wanted
    T* work = nullptr;      // work_size(rows, 4H) elements
  };
  void (*step_back)(const StepBack& step);
  // to [rows, columns] = a packed + bias (null: none), or += a packed: for weights of an LSTM's
  // size, over all steps at once, as `pack` lays them out.
  struct Product {
    int64_t rows = 0;
    int64_t inner = 0;  // multiples of 16
    int64_t columns = 0;
    const T* a = nullptr;
    int64_t a_stride = 0;
    const T* packed = nullptr;
    const T* bias = nullptr;
    bool add = false;  // without a bias
    T* to = nullptr;
    int64_t to_stride = 0;
    T* work = nullptr;  // work_size(rows, inner) elements
  };
  void (*multiply)(const Product& product);
  int64_t (*work_size)(int64_t rows, int64_t inner);
  // A weight [outputs, inputs] of a linear layer for y = W x and for the way back, room for outputs
  // * inputs elements each: in float and double as DenseKernels::pack lays it out. outputs, inputs:
  // multiples of 16.
  void (*pack)(const T* weights, int64_t outputs, int64_t inputs, T* forward, T* back);
  // `weights` [outputs, inputs] += a^T b with a [rows, outputs], b [rows, inputs]; `bias` [outputs]
  // += sums of a's columns unless it is null. outputs, inputs: multiples of 16.
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

// T is float or double.
template <typename T>
const LstmKernels<T>& LstmKernelsFor(Isa isa);
// With products in bf16, that is of operands so rounded, and everything else (sums, states, gates,
// gradients) in float. On a CPU that can run `bf16`, which is not kNone.
const LstmKernels<float>& Bf16LstmKernelsFor(Bf16 bf16);

// One layer's run. States have R rows for the beginning before their steps' rows: row r of step t
// is R + first[t] + r.
template <typename T>
struct LstmRun {
  StepRows first;
  int64_t hidden_size = 0;
  bool from_zero = false;  // the first hidden states are 0, and their gradient is not wanted
  T* gates = nullptr;      // [K, 4H]: what goes in; activated, then (backward) their gradient
  T* cells = nullptr;      // [R + K, H]
  T* hiddens = nullptr;    // [R + K, H]
  T* work = nullptr;       // work_size(R, H) elements, backward work_size(R, 4H)

  int64_t sequences() const { return first.size() > 1 ? first[1] : 0; }
  int64_t rows() const { return first.back(); }
  // Where the rows of step t's states before it begin.
  int64_t Before(int64_t t) const { return t == 0 ? 0 : sequences() + first[t - 1]; }
};

// The states of a step, or of all; `packed`: W_hh^T.
template <typename T>
void LstmForwardStep(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run,
                     int64_t t);
template <typename T>
void LstmForward(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run);
// d_hiddens [R + K, H]: the loss's gradients by the hidden states where they are used elsewhere;
// what the steps add comes to them. `packed`: W_hh. d_cells [R, H] begins as 0 and ends as the
// gradient by the first cells; d_hiddens' first R rows end as that by the first hidden states.
template <typename T>
void LstmBackward(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run,
                  T* d_hiddens, T* d_cells);
// The hidden states that the steps began with, [K, H], for W_hh's gradient.
template <typename T>
void GatherBefore(const LstmRun<T>& run, T* to);

}  // namespace vrp
