// A routing network in torch's operators, for TorchEngine. Needs torch.
//
// Shapes: B instances, P trajectories each, T steps, N nodes (padded to the longest). Q is the
// number of queries per instance: P for one step, P * T (T fastest) for all steps at once. C is the
// number of shares and D the number of features per node that the network observes
// (core/kernels/routing/step_observation.h). Masked logits are -inf.
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

// The logit of a forbidden node.
inline constexpr double kForbiddenLogit = -std::numeric_limits<double>::infinity();

// The decoder's inputs that change from step to step.
struct StepInputs {
  at::Tensor current;    // [B, Q] int64: the vehicle's node
  at::Tensor first;      // [B, Q] int64: the first node of a TSP's tour
  at::Tensor begins;     // [B, Q] bool: whether a TSP's tour has no node yet
  at::Tensor shares;     // [B, Q, C]: features of the step itself (load, time, ...)
  at::Tensor forbidden;  // [B, Q, N] bool; each row allows at least one node
  at::Tensor dynamic;    // [B, Q, N, D]; undefined if the network has none
  at::Tensor gates;  // [B, Q, 4H]: by TorchDecoder::Prepare, the shares' part of an LSTM's gates
  at::Tensor bias;   // [B, Q, N, M]: by TorchDecoder::Prepare, of M heads' attention to nodes
};

// All steps of trajectories, Q = P * T.
struct TakenSteps {
  StepInputs inputs;
  at::Tensor actions;  // [B, Q] int64
  at::Tensor counted;  // [B, Q] bool: whether the step exists and its action is no given start
};

// The counters from which dropout is drawn, as in the engines on the CPU
// (core/kernels/dropout/dropout_program.h).
struct DropoutDraws {
  uint64_t seed = 1;
  uint64_t stream = 0;
  const int64_t* steps = nullptr;  // on the device; if given, the stream is `stream` + *steps
  int64_t first_instance = 0;
};

// The options of Encode and Project.
struct EncodeOptions {
  bool gradient_checkpointing = false;  // as in EngineOptions
  bool dropout = false;  // whether units are dropped, drawn by `draws`; never in rollouts
  DropoutDraws draws = {};
};

// The decoder of an encoded batch. In grad mode it keeps the tensors that backward() needs.
class TorchDecoder {
 public:
  virtual ~TorchDecoder() = default;

  // Clears the state of earlier steps. Must be called before the first step of `trajectories` tours
  // per instance.
  virtual void Start(int64_t trajectories) = 0;
  // Returns `inputs` of many steps with the parts of Step that do not depend on choices, which then
  // take fewer launches. Must be called after Start.
  virtual StepInputs Prepare(const StepInputs& inputs) const { return inputs; }
  // Returns the logits of one step, [B, P, N]. The inputs may be prepared.
  virtual at::Tensor Step(const StepInputs& inputs) = 0;
  // Returns the logits of all steps of known sequences at once, [B, P * T, N].
  virtual at::Tensor Replay(const StepInputs& inputs, int64_t trajectories) const = 0;
};

// A network in torch's operators. Thread-safe while no parameter changes.
class TorchNetwork {
 public:
  virtual ~TorchNetwork() = default;

  virtual std::string_view architecture() const = 0;
  virtual const NetworkInputs& inputs() const = 0;
  virtual bool wants_edges() const = 0;
  virtual ObservationKind observation_kind() const = 0;
  // Whether the network's own choices are inputs of its next steps (RolloutRequest's
  // teacher_forcing).
  virtual bool recurrent() const = 0;

  virtual std::unique_ptr<TorchDecoder> Encode(const TorchParameters& parameters,
                                               const TorchBatch& batch,
                                               const EncodeOptions& options) const = 0;

  // Encodes for a FusedDecoder, with autograd. Returns none if the network has no fused passes, so
  // that its steps run in torch's operators.
  virtual std::optional<DecoderProjections> Project(const TorchParameters&, const TorchBatch&,
                                                    const EncodeOptions&) const {
    return std::nullopt;
  }
};

}  // namespace vrp
