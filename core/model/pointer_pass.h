// The passes of a pointer network over a group of instances, on the calling thread. No torch here.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/kernels/aligned_buffer.h"
#include "core/kernels/beam_search.h"
#include "core/kernels/pointer_steps.h"
#include "core/kernels/routing_step.h"
#include "core/model/network_batch.h"
#include "core/model/pointer_network_options.h"
#include "core/model/pointer_weights.h"
#include "core/model/policy_engine.h"
#include "core/model/trajectory_table.h"

namespace vrp {

using Floats = AlignedBuffer<float>;

// The states of a stack of LSTM layers over packed sequences.
struct PointerStack {
  std::vector<int32_t> first;     // [T + 1]
  std::vector<Floats> gates;      // each layer [K, 4H], rows GateStride apart
  std::vector<Floats> cells;      // [R + K, H]
  std::vector<Floats> hiddens;    // [R + K, H]
  std::vector<Floats> inputs;     // of layers above the first: [K, H], after dropout
  std::vector<Floats> kept;       // [K, H]: what dropout multiplied by; with dropout alone
  std::vector<Floats> d_hiddens;  // [R + K, H]
  std::vector<Floats> d_cells;    // [R, H]
  bool dropped = false;
  bool from_zero = false;  // the first hidden states are 0

  int64_t sequences() const { return first.size() > 1 ? first[1] : 0; }
  int64_t rows() const { return first.back(); }
  // Of one length: the states that steps begin with lie together, from the first row on.
  bool even() const { return rows() == sequences() * (std::ssize(first) - 1); }
};

// Who draws which dropout.
struct PointerDropout {
  double share = 0;  // 0: none
  uint64_t seed = 0;
  uint64_t stream = 0;
  uint64_t first = 0;              // number of sequence 0
  uint32_t purpose = 0;            // encoder or decoder
  const int32_t* order = nullptr;  // number of each sequence, from `first` on
};

// One instance of the group.
struct PointerInstance {
  StepRules rules;
  int64_t row = 0;        // of its first node
  int64_t nodes = 0;      // N
  int64_t padded = 0;     // N'
  int64_t distances = 0;  // where its [N, N'] matrix begins
  int64_t columns = 0;    // where its columns begin, in units of a channel
  int32_t rank = 0;       // in the encoder's order
};

// What a thread works with; kept from call to call.
struct PointerGroup {
  int32_t first = 0;
  int32_t count = 0;
  std::vector<PointerInstance> instances;
  PointerStack encoder;
  PointerStack decoder;
  Floats features;                      // [K, 16] in the encoder's order
  Floats nodes;                         // [rows, H]
  Floats keys, values;                  // [rows, M D]
  Floats pointer_keys;                  // [rows, H]
  Floats gate_inputs;                   // [rows, 4H], rows GateStride apart
  Floats key_columns, pointer_columns;  // [M D, N'], [H, N'] of each instance
  Floats mean;                          // [count, H]
  Floats start;                         // [count, 2LH]; hidden parts after tanh
  Floats distances;
  // A trajectory's side: rows b * P + p of the group.
  std::vector<RouteState> states;
  std::vector<uint8_t> visited;
  std::vector<StepView<float>> views;
  std::vector<int32_t> reads;   // [rows, max_steps]: the node that the decoder reads
  std::vector<int32_t> ranks;   // trajectories by length, the longest first
  std::vector<int64_t> places;  // of each ranked trajectory's first step, in trajectory order
  std::vector<int32_t> given;
  std::vector<int32_t> likeliest;
  Floats view_memory;
  Floats context;  // [K, 16]
  Floats outputs, queries, seen, pointed, weights, attention, logits;
  Floats terms, likelihoods, term_weights;
  Floats d_outputs, d_queries, d_seen, d_pointed, d_weights;
  Floats d_nodes, d_keys, d_values, d_pointer_keys, d_gate_inputs, d_start, d_mean;
  Floats before, value_columns, scratch, step_gates, step_hidden, step_cell;
  std::vector<BeamSearch> searches;  // [count]
  std::vector<double> offers;        // [N]
  Floats next_hidden, next_cell;
  PointerSums sums;
};

// Const functions may run on several threads at once, each with a group of its own.
class PointerPass {
 public:
  PointerPass(const PointerNetworkOptions& options, Isa isa);

  PointerWeights& weights() { return weights_; }
  const PointerWeights& weights() const { return weights_; }

  struct Noise {
    bool dropout = false;
    uint64_t seed = 0;
    uint64_t stream = 0;
    int64_t first_instance = 0;
  };
  void Encode(const NetworkBatch& batch, int32_t first, int32_t count, const Noise& noise,
              PointerGroup& group) const;
  // Writes the group's rows of `table`, and what the decoder has read.
  absl::Status Rollout(const RolloutRequest& request, PointerGroup& group,
                       TrajectoryTable& table) const;
  // Writes the group's rows of `table`: each instance's beam search.
  absl::Status Beam(const RolloutRequest& request, PointerGroup& group,
                    TrajectoryTable& table) const;
  // Only walks along the choices that `request` gives: costs and lengths.
  absl::Status Walk(const RolloutRequest& request, PointerGroup& group,
                    TrajectoryTable& table) const;

  struct SecondPass {
    const GradientRequest* request = nullptr;
    const double* weights = nullptr;  // [count, P]
    TrajectoryTable* table = nullptr;
    bool score = false;  // log-likelihoods and agreements go into the table
    double loss = 0;     // results
    double difference = 0;
  };
  void ForwardSteps(SecondPass& pass, PointerGroup& group) const;
  void BackwardSteps(const SecondPass& pass, PointerGroup& group, float* gradient) const;
  void BackwardNodes(PointerGroup& group, float* gradient) const;

 private:
  struct Product {
    const float* a;
    int64_t stride;
    int64_t rows;
  };
  void Multiply(const Product& a, const PointerLinear& weight, const float* bias, float* to) const;
  void MultiplyTo(const Product& a, const PointerLinear& weight, const float* bias,
                  Rows<float> to) const;
  // to += a W: from the outputs' gradient to the inputs'.
  void Back(const Product& a, const PointerLinear& weight, float* to, bool add) const;
  using WeightGradient = LstmKernels<float>::WeightGradient;
  void AddWeight(WeightGradient job, PointerGroup& group) const;

  void ForwardStack(const std::vector<PointerLayer>& layers, const PointerDropout& dropout,
                    PointerStack& stack) const;
  // Begins with the top layer's d_hiddens; leaves gates as gradients. `gradient` flat.
  void BackwardStack(const std::vector<PointerLayer>& layers, PointerStack& stack,
                     PointerGroup& group, float* gradient) const;
  void GrowStack(PointerStack& stack) const;
  void Drop(const PointerDropout& dropout, int64_t layer, PointerStack& stack) const;

  void EncodeNodes(const NetworkBatch& batch, const Noise& noise, PointerGroup& group) const;
  void ProjectNodes(PointerGroup& group) const;
  void PlaceInstances(const NetworkBatch& batch, PointerGroup& group) const;

  void StartSteps(int64_t trajectories, PointerGroup& group) const;
  void ReadNode(const PointerInstance& at, int32_t node, const RouteState& state, int64_t row,
                PointerGroup& group) const;
  void FollowTours(int64_t width, PointerGroup& group) const;
  void StepLayers(int64_t rows, PointerGroup& group) const;
  void ScoreStep(int64_t trajectories, PointerGroup& group) const;
  GlimpseJob<float> Glimpse(const PointerInstance& at, PointerGroup& group, int64_t row,
                            int64_t steps) const;
  PointerJob<float> Logits(const PointerInstance& at, PointerGroup& group, int64_t row,
                           int64_t steps) const;
  void ReplaySteps(const SecondPass& pass, PointerGroup& group) const;
  void AttendSteps(SecondPass& pass, PointerGroup& group) const;

  const PointerNetworkOptions options_;
  const int64_t gate_stride_;
  const DenseKernels<float>& dense_;
  const LstmKernels<float>& lstm_;
  const PointerKernels<float>& kernels_;
  PointerWeights weights_;
};

// Shows `state` to a step: fills `memory` [kPointerViewRows, N'] and points `view` to it.
inline constexpr int64_t kPointerViewRows = 4;
// False: no node is allowed.
bool ShowStep(const PointerInstance& at, const float* distances, const RouteState& state,
              const uint8_t* visited, float* memory, StepView<float>& view);

// In [0, 1), drawn for step t of a trajectory: for its choice, and for what the decoder reads next.
struct PointerDraw {
  double choice;
  double reading;
};
PointerDraw DrawAt(const RolloutRequest& request, int64_t trajectory, int32_t t);

}  // namespace vrp
