// The decoder of an attention model (Kool et al. 2019), whole tours at a time, on one thread for
// one instance: rollouts and beam searches without gradients, and the second pass, which gives the
// log-likelihoods of chosen tours and their gradient. Scores are recomputed in the second pass;
// nothing of the size [heads, trajectories * steps, nodes] is ever stored.
//
// At a step, with the vehicle at node c (f: the first node of a TSP's tour; s: the shares left):
//   q       = base + queries[c] + first_queries[f] + shares_weight^T s     (first step of a TSP:
//             start_query instead)
//   glimpse = multi-head attention of q over keys and values of the nodes that are allowed
//   logits  = clip * tanh(glimpse . logit_keys[n] / sqrt(H)) where allowed, else -inf
// What Kool's projection of the glimpse does is in logit_keys already (see graph_transformer.h).
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

struct DecodeRequest {
  StepChoice choice = StepChoice::kGreedy;
  int32_t trajectories = 1;      // P
  bool distinct_starts = false;  // see RolloutRequest in core/model/policy/policy_engine.h
  int32_t first_start = 0;       // distinct_starts: number of trajectory 0 among them
  double temperature = 1;
  uint64_t seed = 1;
  uint64_t stream = 0;
  int64_t first_trajectory = 0;  // number of trajectory 0 in the counters
  const int32_t* forced_choices =
      nullptr;  // kForced: [P, max_steps of the result], -1 after the end
  StopCondition stop = {};
};

struct BeamRequest {
  int32_t width = 1;
  BeamSearch* search = nullptr;  // its memory, used again
  StopCondition stop = {};
};

// [P, ...] each, owned by the caller; max_steps is MaxTourSteps(problem).
template <typename T>
struct DecodeResult {
  int32_t max_steps = 0;
  int32_t* choices = nullptr;         // [P, max_steps]; -1 after the end
  int32_t* lengths = nullptr;         // [P]
  double* costs = nullptr;            // [P], the metric's unit
  double* log_likelihoods = nullptr;  // [P]
  int32_t* agreements = nullptr;      // [P]: steps of the network whose choice was the likeliest
};

enum class DecodeStatus {
  kDone,
  kStopped,      // by request.stop
  kUnreachable,  // a customer is left that no fresh vehicle can serve
  kForbidden,    // kForced: a choice is not allowed
};

// Longest sequence of choices.
int32_t MaxTourSteps(const RoutingProblem& problem);

template <typename T>
struct SecondPassRequest {
  int32_t trajectories = 1;      // P
  bool distinct_starts = false;  // the first choices are not the network's
  double label_smoothing = 0;    // see GradientRequest
  int32_t max_steps = 0;
  const int32_t* choices = nullptr;  // [P, max_steps], -1 after the end
  const double* weights = nullptr;   // [P]: of the log-likelihoods in the loss
};

// Const functions may run on several threads at once, each with memory of its own. With one
// instruction set a step's result is the same to the bit in both passes, and whichever trajectories
// are decoded together; the sums over steps of gradients run in the order of trajectories.
template <typename T>
class AttentionDecoder {
 public:
  virtual ~AttentionDecoder() = default;

  // Elements of T that any pass needs.
  virtual int64_t ScratchSize(const RoutingProblem& problem, int32_t trajectories) const = 0;

  virtual DecodeStatus Rollout(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                               const DecodeRequest& request, const DecodeResult<T>& result,
                               T* scratch) const = 0;

  // The `width` tours that a beam search ends with, the likeliest first, into as many rows.
  virtual DecodeStatus Beam(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                            const BeamRequest& request, const DecodeResult<T>& result,
                            T* scratch) const = 0;

  // log_likelihoods [P] (with label smoothing: of the smoothed terms) are written, and the gradient
  // of sum(weights * log_likelihoods) is added to `gradient`, unless its keys are null.
  virtual void SecondPass(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                          const SecondPassRequest<T>& request, double* log_likelihoods,
                          const DecoderNodes<T>& gradient, T* scratch) const = 0;
};

// T is float or double.
template <typename T>
std::unique_ptr<AttentionDecoder<T>> MakeAttentionDecoder(const DecoderShape& shape, Isa isa);

}  // namespace vrp
