// The decoder of an attention model (Kool et al. 2019) for whole tours of one instance, on one
// thread. Rollouts and beam searches compute no gradients. The second pass computes the
// log-likelihoods of given tours and their gradient. The second pass recomputes scores, so that no
// pass stores an array of the size [heads, trajectories * steps, nodes].
//
// At a step with the vehicle at node c (f: first node of a TSP's tour; s: remaining shares):
//   q       = base + queries[c] + first_queries[f] + shares_weight^T s
//             (start_query at the first step of a TSP)
//   glimpse = multi-head attention of q over the keys and values of the allowed nodes
//   logits  = clip * tanh(glimpse . logit_keys[n] / sqrt(H)) where allowed, else -inf
// logit_keys already include Kool's projection of the glimpse (see graph_transformer_pass.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/isa.h"
#include "core/base/stop.h"
#include "core/kernels/decoder/decoder_nodes.h"
#include "core/kernels/routing/routing_problem.h"

namespace vrp {

class BeamSearch;  // core/kernels/decoder/beam_search.h

// The options of a rollout.
struct DecodeRequest {
  StepChoice choice = StepChoice::kGreedy;
  int32_t trajectories = 1;  // P
  // Whether the first choices are given (RolloutRequest in core/model/policy/policy_engine.h).
  bool distinct_starts = false;
  int32_t first_start = 0;  // distinct_starts: number of trajectory 0 among the starts
  double temperature = 1;
  uint64_t seed = 1;
  uint64_t stream = 0;
  int64_t first_trajectory = 0;             // number of trajectory 0 in the random counters
  const int32_t* forced_choices = nullptr;  // kForced: [P, max_steps], -1 after the end
  StopCondition stop = {};
};

// The options of a beam search.
struct BeamRequest {
  int32_t width = 1;
  BeamSearch* search = nullptr;  // memory, reused across instances
  StopCondition stop = {};
};

// Outputs, [P, ...] each, owned by the caller; max_steps is MaxTourSteps(problem).
template <typename T>
struct DecodeResult {
  int32_t max_steps = 0;
  int32_t* choices = nullptr;         // [P, max_steps]; -1 after the end
  int32_t* lengths = nullptr;         // [P]
  double* costs = nullptr;            // [P], the metric's unit
  double* log_likelihoods = nullptr;  // [P]
  int32_t* agreements = nullptr;      // [P]: steps whose choice was the likeliest; not given starts
};

// The outcome of a pass.
enum class DecodeStatus {
  kDone,
  kStopped,      // request.stop ended the pass
  kUnreachable,  // no empty vehicle can serve a remaining customer
  kForbidden,    // kForced: a choice is not allowed
};

// Returns the largest possible number of choices of a tour.
int32_t MaxTourSteps(const RoutingProblem& problem);

// The given tours of a second pass, and the loss.
template <typename T>
struct SecondPassRequest {
  int32_t trajectories = 1;          // P
  bool distinct_starts = false;      // whether the first choices are given, not the network's
  double label_smoothing = 0;        // see GradientRequest
  int32_t max_steps = 0;             // length of a row of `choices`
  const int32_t* choices = nullptr;  // [P, max_steps], -1 after the end
  const double* weights = nullptr;   // [P]: weights of the log-likelihoods in the loss; null: all 0
};

// A decoder. Const functions may run on several threads at once, each with its own memory.
// With one instruction set, a step's result is bit-identical in both passes and for any set of
// trajectories decoded together. The second pass adds gradients in the order of trajectories.
template <typename T>
class AttentionDecoder {
 public:
  virtual ~AttentionDecoder() = default;

  // Returns the number of elements of T that any pass needs as scratch.
  virtual int64_t ScratchSize(const RoutingProblem& problem, int32_t trajectories) const = 0;

  // Decodes request.trajectories tours. Writes `result`, which is incomplete unless the status is
  // kDone.
  virtual DecodeStatus Rollout(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                               const DecodeRequest& request, const DecodeResult<T>& result,
                               T* scratch) const = 0;

  // Writes the `width` tours that a beam search ends with, one per row, the likeliest first.
  virtual DecodeStatus Beam(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                            const BeamRequest& request, const DecodeResult<T>& result,
                            T* scratch) const = 0;

  // Writes log_likelihoods [P], with label smoothing those of the smoothed terms. Adds the gradient
  // of sum(weights * log_likelihoods) to `gradient`, unless gradient.keys is null.
  virtual void SecondPass(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                          const SecondPassRequest<T>& request, double* log_likelihoods,
                          const DecoderNodes<T>& gradient, T* scratch) const = 0;
};

// Returns a decoder for `isa`. T is float or double.
template <typename T>
std::unique_ptr<AttentionDecoder<T>> MakeAttentionDecoder(const DecoderShape& shape, Isa isa);

}  // namespace vrp
