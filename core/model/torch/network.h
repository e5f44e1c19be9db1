// A routing network in torch's operators, as the one engine for all of them sees it. Needs torch.
//
// Shapes: B instances, P trajectories each, T steps, N nodes (padded to the longest), Q queries an
// instance: P for one step, P * T (T fastest) for all steps at once. C shares and D features of
// nodes: by the network's reader (core/kernels/routing/step_observation.h). Masked logits are -inf.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/kernels/routing/step_observation.h"
#include "core/model/policy/network_inputs.h"
#include "core/model/torch/batch.h"
#include "core/model/torch/fused.h"
#include "core/model/torch/parameters.h"

namespace vrp {

// The logit of what is forbidden.
inline constexpr double kForbiddenLogit = -std::numeric_limits<double>::infinity();

// What changes from step to step.
struct StepInputs {
  at::Tensor current;    // [B, Q] int64: where the vehicle is
  at::Tensor first;      // [B, Q] int64: where a TSP's tour began
  at::Tensor begins;     // [B, Q] bool: a TSP's tour has no node yet
  at::Tensor shares;     // [B, Q, C]: of what is left (load, time, ...)
  at::Tensor forbidden;  // [B, Q, N] bool; each row allows a node
  at::Tensor dynamic;    // [B, Q, N, D]; undefined where there are none
};

// All steps of trajectories, Q = P * T.
struct TakenSteps {
  StepInputs inputs;
  at::Tensor actions;  // [B, Q] int64
  at::Tensor counted;  // [B, Q] bool: the choice was the network's to make
};

// What dropout is drawn by, as the engines on the CPU draw it
// (core/kernels/dropout/dropout_program.h).
struct DropoutDraws {
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;  // on the device; where given, the stream is `stream` + *steps
  int64_t first_instance = 0;
};

struct EncodeOptions {
  bool gradient_checkpointing = false;
  bool dropout = false;  // by `draws`; never in rollouts
  DropoutDraws draws = {};
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
  virtual const NetworkInputs& inputs() const = 0;
  virtual bool wants_edges() const = 0;
  virtual ObservationKind observation_kind() const = 0;
  // The network's own choices are its next steps' inputs where a RolloutRequest's teacher_forcing
  // says so.
  virtual bool recurrent() const = 0;

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
