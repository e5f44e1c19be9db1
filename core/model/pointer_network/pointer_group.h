// The memory of the passes (pointer_pass.h) over a group of instances.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/pointer_steps/pointer_steps.h"
#include "core/kernels/routing/routing_step.h"
#include "core/kernels/support/aligned_buffer.h"
#include "core/model/pointer_network/pointer_weights.h"

namespace vrp {

using Floats = AlignedBuffer<float>;

// The states of a stack of LSTM layers over packed sequences: R sequences of up to T steps, with K
// steps in all. Rows are ordered by step. Arrays of R + K rows begin with the initial states.
struct PointerStack {
  std::vector<int32_t> first;   // [T + 1]: the first row of each step
  std::vector<Floats> gates;    // each layer [K, 4H], rows GateStride apart
  std::vector<Floats> cells;    // [R + K, H]
  std::vector<Floats> hiddens;  // [R + K, H]
  std::vector<Floats> inputs;   // inputs of layers above the first: [K, H], only with dropout
  std::vector<Floats> dropout_factors;  // [K, H]: dropout's factors; undefined without dropout
  std::vector<Floats> d_hiddens;        // [R + K, H]
  std::vector<Floats> d_cells;          // [R, H]
  Floats work;                          // scratch of products with the layers' weights
  bool has_dropout = false;             // whether the last forward pass had dropout
  bool from_zero = false;               // whether the first hidden states are 0
  size_t done = 0;                      // number of lowest layers whose states are computed

  int64_t sequences() const { return first.size() > 1 ? first[1] : 0; }
  int64_t rows() const { return first.back(); }
};

// The seed and the counters from which dropout is drawn.
struct PointerDropout {
  double share = 0;  // share of dropped units; 0: no dropout
  uint64_t seed = 0;
  uint64_t stream = 0;
  int64_t first = 0;     // number of sequence 0
  bool decoder = false;  // whether the layers are in the decoder; otherwise in the encoder
  const int32_t* order = nullptr;  // number of each sequence, relative to `first`
};

// One instance of the group.
struct PointerInstance {
  StepRules rules;
  int64_t row = 0;          // row of the instance's first node
  int64_t nodes = 0;        // N
  int64_t padded = 0;       // N'
  int64_t distances = 0;    // offset of the [N, N'] matrix
  int64_t columns = 0;      // first column of the instance: sum of the earlier N'
  int32_t encoder_row = 0;  // position in the encoder's order
};

// The memory of one thread, reused by all calls. M heads have D padded channels each. H is the
// hidden size, L the number of layers, P the number of trajectories per instance. K is the number
// of the encoder's or the decoder's steps, and rows without a letter are nodes.
struct PointerGroup {
  int32_t first = 0;  // number of the first instance in the batch
  int32_t count = 0;  // number of instances
  std::vector<PointerInstance> instances;
  PointerStack encoder;
  PointerStack decoder;
  Floats features;                      // [K, features()] in the encoder's order
  Floats nodes;                         // [rows, H]
  Floats keys, values;                  // [rows, M D]
  Floats pointer_keys;                  // [rows, H]
  Floats gate_inputs;                   // [rows, 4H], rows GateStride apart
  Floats key_columns, pointer_columns;  // [M D, N'], [H, N'] of each instance
  Floats mean;                          // [count, H]
  Floats start;                         // [count, 2LH]; hidden parts after tanh
  Floats distances;
  // Per trajectory: row b * P + p of the group.
  std::vector<RouteState> states;
  std::vector<uint8_t> visited;
  std::vector<StepView<float>> views;  // in the second pass per step, at step_offsets
  std::vector<int32_t> reads;          // [count * P, max_steps]: the node that the decoder reads
  // Numbers of the instances, or in the second pass of the trajectories; the longest first.
  std::vector<int32_t> by_length;
  std::vector<int64_t> step_offsets;  // offset of each sorted trajectory's first step
  std::vector<int32_t> choices;       // second pass: choices, at step_offsets
  std::vector<int32_t> likeliest;     // per trajectory; in the second pass at step_offsets
  Floats view_memory;
  Floats context;  // [K, kPointerColumnPadding]; step by step a row per trajectory
  Floats outputs, queries, glimpse, pointed, weights, attention, logits;
  Floats terms, likelihoods, term_weights;
  Floats d_queries, d_glimpse, d_pointed, d_weights;
  Floats d_nodes, d_keys, d_values, d_pointer_keys, d_gate_inputs, d_start, d_mean;
  Floats gathered, value_columns, scratch, step_gates, step_hidden, step_cell;
  std::vector<BeamSearch> searches;  // [count]
  std::vector<double> offers;        // [N]
  Floats next_hidden, next_cell;
  PointerSums sums;
};

// Number of rows of ObserveStep's `memory`.
inline constexpr int64_t kPointerViewRows = 4;
// Writes a step's features of `state` to `memory` [kPointerViewRows, N']. Points `view` to these
// features and to rows of `distances`. Returns false if no node is allowed.
bool ObserveStep(const PointerInstance& at, const float* distances, const RouteState& state,
                 const uint8_t* visited, float* memory, StepView<float>& view);

}  // namespace vrp
