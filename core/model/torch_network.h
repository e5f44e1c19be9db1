// A routing network in torch's operators, as the one engine for all of them sees it. Needs torch.
//
// Shapes: B instances, P trajectories each, T steps, N nodes (padded to the longest), Q queries an
// instance: P for one step, P * T (T fastest) for all steps at once. Masked logits are -inf.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/kernels/routing_step.h"
#include "core/model/network_batch.h"
#include "core/model/torch_batch.h"
#include "core/model/torch_fused.h"
#include "core/model/torch_parameters.h"

namespace vrp {

// What changes from step to step.
struct StepInputs {
  at::Tensor current;    // [B, Q] int64: where the vehicle is
  at::Tensor first;      // [B, Q] int64: where a TSP's tour began
  at::Tensor begins;     // [B, Q] bool: a TSP's tour has no node yet
  at::Tensor shares;     // [B, Q, shares()]: of what is left (load, time, ...)
  at::Tensor forbidden;  // [B, Q, N] bool; each row allows a node
  at::Tensor dynamic;    // [B, Q, N, node_features()]; undefined where there are none
};

struct EncodeOptions {
  bool gradient_checkpointing = false;
  // The chance that a unit is dropped, drawn from torch's generator; 0 in rollouts.
  bool dropout = false;
};

// A trajectory as a network may look at it.
struct Sight {
  const StepRules& rules;
  const RouteState& state;
  const uint8_t* visited;  // [nodes]
};

// The decoder over a batch that was encoded. Where gradients are on, it keeps what backward()
// needs.
class TorchDecoder {
 public:
  virtual ~TorchDecoder() = default;

  // Before the first step of `trajectories` tours an instance: forgets earlier steps.
  virtual void Start(int64_t trajectories) = 0;
  // One step: logits [B, P, N].
  virtual at::Tensor Step(const StepInputs& inputs) = 0;
  // All steps at once, for which the sequences of nodes must be known: logits [B, P * T, N].
  virtual at::Tensor Replay(const StepInputs& inputs, int64_t trajectories) const = 0;
};

// Thread-safe while no parameter changes.
class TorchNetwork {
 public:
  virtual ~TorchNetwork() = default;

  virtual std::string_view architecture() const = 0;
  virtual NodeOrder node_order() const = 0;
  virtual bool wants_edges() const = 0;
  virtual int64_t shares() const = 0;
  virtual int64_t node_features() const = 0;
  // The network's own choices are its next steps' inputs where a RolloutRequest's teacher_forcing
  // says so.
  virtual bool recurrent() const = 0;

  // What it reads at a step: shares [shares()] and features [nodes, node_features()].
  virtual void Observe(const Sight& sight, double* shares, double* features) const = 0;

  virtual std::unique_ptr<TorchDecoder> Encode(const TorchParameters& parameters,
                                               const TorchBatch& batch,
                                               const EncodeOptions& options) const = 0;

  // The same for a FusedDecoder, by autograd; none: this network's steps are operators.
  virtual std::optional<DecoderProjections> Project(const TorchParameters&, const TorchBatch&,
                                                    const EncodeOptions&) const {
    return std::nullopt;
  }
};

}  // namespace vrp
