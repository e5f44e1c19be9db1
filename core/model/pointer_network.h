// The LSTM pointer network (Vinyals et al. 2015, Bello et al. 2016; dynamic inputs in the pointer's
// attention as in Nazari et al. 2018). Needs torch.
//
//   embed      nodes' static features -> e [N, H]
//   encoder    LSTM over e in the canonical order (NetworkInput) -> o; a node is n = e + o
//   decoder    LSTM; a step's input is the node where the vehicle is, plus the projected context;
//   its
//              first state is made of the nodes' mean
//   glimpse    multi-head attention of the decoder's state over the nodes that are allowed
//   pointer    clip * tanh(q . k / sqrt(H) + c(q) . dynamic), the nodes' logits
//
// Both attentions see the dynamic features of every node at every step; is_visited is the first.
//
// Weights, as safetensors name them: embed.{weight, bias}; encoder and decoder.{weight_ih,
// weight_hh, bias_ih, bias_hh}_l{layer} with gates in the order input, forget, candidate, output
// (as torch.nn.LSTM); start.{weight, bias} [2LH, H]: first all layers' hidden, then their cells;
// context.weight; glimpse.{query, key, value, out}.weight; glimpse.dynamic.weight [M, F];
// pointer.{query, key}.weight; pointer.dynamic.{weight [F, H], bias [F]}.
//
// Shapes: B instances, P trajectories each, T steps, N nodes with depot 0 (padded to the longest),
// H hidden, L layers, M heads, F = kDynamicFeatures, C = kContextFeatures. Masked logits are -inf.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/network_input.h"
#include "core/model/parameter_store.h"
#include "core/model/pointer_network_options.h"

namespace vrp {

// The static side of a batch.
struct NodeBatch {
  at::Tensor features;  // [B, N, kStaticFeatures]; 0 where padded
  at::Tensor valid;     // [B, N] bool
  at::Tensor last;      // [B] int64: the last valid node
};
NodeBatch MakeNodeBatch(std::span<const NetworkInput> inputs, at::TensorOptions options);

// What the decoder needs of the nodes; projected once.
struct EncodedNodes {
  at::Tensor nodes;           // [B, N, H]
  at::Tensor glimpse_keys;    // [B, M, H/M, N]
  at::Tensor glimpse_values;  // [B, M, N, H/M]
  at::Tensor pointer_keys;    // [B, H, N]
  at::Tensor gate_inputs;     // [B, N, 4H]: the nodes' part of the first decoder layer's gates
  at::Tensor context_gates;   // [4H, C]: the context's
  at::Tensor hidden;          // [L, B, H]: the decoder's first state
  at::Tensor cell;            // [L, B, H]

  EncodedNodes Detached() const;
};

// What changes from step to step; Q is P for one step, P * T (T fastest) for all steps at once.
struct StepInputs {
  at::Tensor current;    // [B, Q] int64
  at::Tensor context;    // [B, Q, C]
  at::Tensor dynamic;    // [B, Q, N, F]
  at::Tensor forbidden;  // [B, Q, N] bool; each row allows a node
};

struct DecoderState {
  at::Tensor hidden;  // [L, B * P, H]
  at::Tensor cell;    // [L, B * P, H]
};

// Thread-safe while no parameter changes.
class PointerNetwork {
 public:
  PointerNetwork(const PointerNetworkOptions& options, at::TensorOptions tensors, uint64_t seed);

  const PointerNetworkOptions& options() const { return options_; }
  ParameterStore& parameters() { return parameters_; }
  const ParameterStore& parameters() const { return parameters_; }
  at::TensorOptions tensor_options() const { return parameters_.flat().options(); }

  // `dropout`: between the LSTMs' layers, from torch's default generator.
  EncodedNodes Encode(const NodeBatch& batch, bool dropout = false) const;

  DecoderState Start(const EncodedNodes& encoded, int64_t trajectories) const;
  // One step: logits [B, P, N]; `state` goes on to the next.
  at::Tensor Step(const EncodedNodes& encoded, const StepInputs& inputs, DecoderState& state) const;
  // All steps at once: logits [B, P * T, N], for which the sequences of nodes must be known.
  at::Tensor Replay(const EncodedNodes& encoded, const StepInputs& inputs, int64_t trajectories,
                    bool dropout = false) const;

 private:
  const at::Tensor& Parameter(std::string_view name) const { return parameters_.Get(name); }
  std::vector<at::Tensor> LstmParameters(std::string_view prefix) const;
  // Logits [B, Q, N] from the decoder's outputs [B, Q, H].
  at::Tensor Score(const EncodedNodes& encoded, const at::Tensor& outputs,
                   const StepInputs& inputs) const;
  at::Tensor Attend(const EncodedNodes& encoded, const at::Tensor& outputs,
                    const StepInputs& inputs) const;
  // The same by our own loops (core/kernels): the CPU, single precision, one step, no gradients.
  at::Tensor ScoreByLoops(const EncodedNodes& encoded, const at::Tensor& outputs,
                          const StepInputs& inputs) const;

  PointerNetworkOptions options_;
  int64_t heads_;
  ParameterStore parameters_;
};

}  // namespace vrp
