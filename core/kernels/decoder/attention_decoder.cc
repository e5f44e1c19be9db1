#include "core/kernels/decoder/attention_decoder.h"

#include <algorithm>
#include <limits>

#include "core/kernels/decoder/attention_decoder_beam.h"
#include "core/kernels/decoder/attention_decoder_pass.h"
#include "core/kernels/routing/step_random.h"

namespace vrp {
namespace {

using simd::DecoderKernels;
using simd::DecoderSizes;
using simd::DecoderSteps;

// Maximum number of nodes for which a pass computes all distances once (half a megabyte), if every
// step needs the distances to all nodes.
constexpr int32_t kMaxNodesWithLegs = 256;

// Returns the uniform number u of StepChoice::kSample.
double StepUniform(const DecodeRequest& request, int64_t trajectory, int32_t t) {
  return FirstUniform(StepBlock({request.seed, request.stream, trajectory, t}));
}

bool NeedsAllLegs(const StepRules& rules) {
  return (rules.timed || rules.bounded) && rules.problem.distances == nullptr &&
         rules.problem.nodes <= kMaxNodesWithLegs;
}

template <typename T>
void Prepare(DecoderPass<T>& pass) {
  const DecoderSizes& sizes = pass.sizes;
  pass.kernels.pack(sizes, pass.nodes, pass.memory.packed);
  for (int64_t row = 0; row < sizes.block; ++row) {
    T* const mask = pass.memory.steps.masks + row * sizes.padded_nodes;
    std::fill(mask + sizes.nodes, mask + sizes.padded_nodes, -std::numeric_limits<T>::infinity());
  }
  double* const legs = pass.memory.legs;
  if (legs == nullptr) return;
  const RoutingProblem& problem = pass.rules.problem;
  for (int32_t from = 0; from < problem.nodes; ++from) {
    for (int32_t to = 0; to < problem.nodes; ++to) {
      legs[from * sizes.nodes + to] = LegDistance(problem, from, to);
    }
  }
  pass.rules.problem.distances = legs;
}

// One rollout. All trajectories take step t before any of them takes step t + 1.
template <typename T>
class RolloutRun {
 public:
  RolloutRun(const DecoderPass<T>& pass, const DecodeRequest& request,
             const DecodeResult<T>& result)
      : kernels_(pass.kernels),
        nodes_(pass.nodes),
        sizes_(pass.sizes),
        rules_(pass.rules),
        request_(request),
        result_(result),
        memory_(pass.memory),
        steps_(memory_.steps) {}

  DecodeStatus Run() {
    steps_.inverse_temperature = static_cast<T>(1 / request_.temperature);
    for (int32_t p = 0; p < request_.trajectories; ++p) Begin(p);
    for (int32_t t = 0; unfinished_; ++t) {
      if (request_.stop.ShouldStop()) return DecodeStatus::kStopped;
      unfinished_ = false;
      for (int32_t p = 0; p < request_.trajectories; ++p) {
        const DecodeStatus status = Step(p, t);
        if (status != DecodeStatus::kDone) return status;
      }
      ChooseSteps(t);
    }
    for (int32_t p = 0; p < request_.trajectories; ++p) {
      result_.costs[p] = MetricSum(rules_.problem.metric, memory_.states[p].cost);
      result_.log_likelihoods[p] = memory_.sums[p];
    }
    return DecodeStatus::kDone;
  }

 private:
  uint8_t* Visited(int32_t p) { return memory_.visited + p * sizes_.nodes; }
  int32_t* Choices(int32_t p) { return result_.choices + int64_t{p} * result_.max_steps; }

  void Begin(int32_t p) {
    memory_.states[p] = BeginTrajectory(rules_, Visited(p));
    memory_.sums[p] = 0;
    result_.lengths[p] = 0;
    result_.agreements[p] = 0;
    std::fill_n(Choices(p), result_.max_steps, -1);
    unfinished_ = unfinished_ || !IsDone(memory_.states[p]);
  }

  // Takes step t of trajectory p at once if only one node is allowed or the first node is given.
  // Otherwise adds the step to the block that the network scores.
  DecodeStatus Step(int32_t p, int32_t t) {
    const RouteState& state = memory_.states[p];
    const int32_t* const forced = request_.choice == StepChoice::kForced
                                      ? request_.forced_choices + int64_t{p} * result_.max_steps
                                      : nullptr;
    if (IsDone(state)) return DecodeStatus::kDone;
    T* const mask = steps_.masks + steps_.count * sizes_.padded_nodes;
    const int32_t count = WriteMask(rules_, state, Visited(p), mask);
    if (count == 0) return DecodeStatus::kUnreachable;
    const int32_t node = forced == nullptr ? -1 : forced[t];
    if (forced != nullptr && (node < 0 || node >= sizes_.nodes || mask[node] != 0)) {
      return DecodeStatus::kForbidden;
    }
    const bool given = t == 0 && request_.distinct_starts;
    if (given || count == 1) {
      Advance(p, t,
              forced != nullptr ? node
                                : AllowedNode(mask, count, given ? request_.first_start + p : 0));
      if (!given) ++result_.agreements[p];
      return DecodeStatus::kDone;
    }
    steps_.choices[steps_.count] = simd::kLikeliest;
    if (forced != nullptr) steps_.choices[steps_.count] = node;
    if (request_.choice == StepChoice::kSample) {
      steps_.choices[steps_.count] = simd::kDrawn;
      steps_.uniforms[steps_.count] = StepUniform(request_, request_.first_trajectory + p, t);
    }
    memory_.trajectories[steps_.count] = p;
    AddStep(rules_, state, steps_);
    if (steps_.count < sizes_.block) return DecodeStatus::kDone;
    return ChooseSteps(t);
  }

  DecodeStatus ChooseSteps(int32_t t) {
    if (steps_.count == 0) return DecodeStatus::kDone;
    kernels_.choose(sizes_, nodes_, memory_.packed, steps_, memory_.kernels);
    for (int32_t row = 0; row < steps_.count; ++row) {
      const int32_t p = memory_.trajectories[row];
      memory_.sums[p] += static_cast<double>(steps_.log_likelihoods[row]);
      result_.agreements[p] += steps_.choices[row] == steps_.likeliest[row] ? 1 : 0;
      Advance(p, t, AllowedChoice(sizes_, steps_, row));
    }
    scored_ += steps_.count * sizes_.nodes;
    steps_.count = 0;
    if (scored_ < kNodesBetweenPolls) return DecodeStatus::kDone;
    scored_ = 0;
    return request_.stop.ShouldStop() ? DecodeStatus::kStopped : DecodeStatus::kDone;
  }

  void Advance(int32_t p, int32_t t, int32_t node) {
    Take(rules_, node, memory_.states[p], Visited(p));
    Choices(p)[t] = node;
    result_.lengths[p] = t + 1;
    unfinished_ = unfinished_ || !IsDone(memory_.states[p]);
  }

  const DecoderKernels<T>& kernels_;
  const DecoderNodes<const T>& nodes_;
  const DecoderSizes& sizes_;
  const StepRules& rules_;
  const DecodeRequest& request_;
  const DecodeResult<T>& result_;
  DecoderMemory<T> memory_;
  DecoderSteps<T>& steps_;
  bool unfinished_ = false;  // whether any trajectory is unfinished
  int64_t scored_ = 0;       // nodes scored since the last poll of the stop condition
};

// One second pass. Scores the steps of all trajectories, one trajectory after the other, in blocks
// that are full except the last.
template <typename T>
class SecondPassRun {
 public:
  SecondPassRun(const DecoderPass<T>& pass, const SecondPassRequest<T>& request,
                const DecoderNodes<T>& gradient)
      : kernels_(pass.kernels),
        nodes_(pass.nodes),
        sizes_(pass.sizes),
        rules_(pass.rules),
        request_(request),
        gradient_(gradient),
        memory_(pass.memory),
        steps_(memory_.steps) {}

  void Run(double* log_likelihoods) {
    steps_.label_smoothing = static_cast<T>(request_.label_smoothing);
    const bool adds_gradient = gradient_.keys != nullptr;
    if (adds_gradient) ClearSum();
    if (!adds_gradient) memory_.sum = {};
    std::fill_n(memory_.sums, request_.trajectories, 0.0);
    for (int32_t p = 0; p < request_.trajectories; ++p) Replay(p);
    ScoreSteps();
    if (adds_gradient) kernels_.unpack_gradient(sizes_, memory_.sum, gradient_);
    std::copy_n(memory_.sums, request_.trajectories, log_likelihoods);
  }

 private:
  void ClearSum() {
    for (T* const part : {memory_.sum.keys, memory_.sum.values, memory_.sum.logit_keys}) {
      std::fill_n(part, sizes_.nodes * sizes_.row, T{0});
    }
  }

  void Replay(int32_t p) {
    const int32_t* const choices = request_.choices + int64_t{p} * request_.max_steps;
    RouteState state = BeginTrajectory(rules_, memory_.visited);
    for (int32_t t = 0; !IsDone(state) && t < request_.max_steps && choices[t] >= 0; ++t) {
      if (t > 0 || !request_.distinct_starts) AddChoice(p, state, choices[t]);
      Take(rules_, choices[t], state, memory_.visited);
    }
  }

  // Adds a step to the block. Skips steps with a single allowed node, whose likelihood is always 1.
  void AddChoice(int32_t p, const RouteState& state, int32_t choice) {
    T* const mask = steps_.masks + steps_.count * sizes_.padded_nodes;
    const int32_t count = WriteMask(rules_, state, memory_.visited, mask);
    if (count <= 1) return;
    steps_.choices[steps_.count] = choice;
    steps_.allowed[steps_.count] = count;
    steps_.weights[steps_.count] =
        request_.weights == nullptr ? T{0} : static_cast<T>(request_.weights[p]);
    memory_.trajectories[steps_.count] = p;
    AddStep(rules_, state, steps_);
    if (steps_.count == sizes_.block) ScoreSteps();
  }

  void ScoreSteps() {
    if (steps_.count == 0) return;
    kernels_.add_gradient(sizes_, nodes_, memory_.packed, steps_, memory_.sum, gradient_,
                          memory_.kernels);
    for (int32_t row = 0; row < steps_.count; ++row) {
      memory_.sums[memory_.trajectories[row]] += static_cast<double>(steps_.log_likelihoods[row]);
    }
    steps_.count = 0;
  }

  const DecoderKernels<T>& kernels_;
  const DecoderNodes<const T>& nodes_;
  const DecoderSizes& sizes_;
  const StepRules& rules_;
  const SecondPassRequest<T>& request_;
  const DecoderNodes<T>& gradient_;
  DecoderMemory<T> memory_;
  DecoderSteps<T>& steps_;
};

template <typename T>
class KernelDecoder : public AttentionDecoder<T> {
 public:
  KernelDecoder(const DecoderShape& shape, const DecoderKernels<T>& kernels)
      : shape_(shape), kernels_(kernels) {}

  int64_t ScratchSize(const RoutingProblem& problem, int32_t trajectories) const override {
    return std::max({Size(problem, {.trajectories = trajectories}),
                     Size(problem, {.trajectories = trajectories, .gradient = true}),
                     Size(problem, {.scores = true})});
  }

  DecodeStatus Rollout(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                       const DecodeRequest& request, const DecodeResult<T>& result,
                       T* scratch) const override {
    const DecoderPass<T> pass =
        Begin(problem, nodes, {.trajectories = request.trajectories}, scratch);
    return RolloutRun<T>(pass, request, result).Run();
  }

  DecodeStatus Beam(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                    const BeamRequest& request, const DecodeResult<T>& result,
                    T* scratch) const override {
    const DecoderPass<T> pass = Begin(problem, nodes, {.scores = true}, scratch);
    return BeamRun<T>(pass, request, result).Run();
  }

  void SecondPass(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                  const SecondPassRequest<T>& request, double* log_likelihoods,
                  const DecoderNodes<T>& gradient, T* scratch) const override {
    const DecoderPass<T> pass =
        Begin(problem, nodes, {.trajectories = request.trajectories, .gradient = true}, scratch);
    SecondPassRun<T>(pass, request, gradient).Run(log_likelihoods);
  }

 private:
  DecoderPass<T> Begin(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                       DecoderNeeds needs, T* scratch) const {
    DecoderPass<T> pass = {.kernels = kernels_,
                           .nodes = nodes,
                           .sizes = kernels_.sizes(shape_, problem.nodes),
                           .rules = MakeStepRules(problem)};
    needs.legs = NeedsAllLegs(pass.rules);
    MemoryPieces<T> pieces(scratch);
    pass.memory =
        LayOutDecoder<T>(pass.sizes, kernels_.scratch(pass.sizes, needs.gradient), needs, pieces);
    Prepare(pass);
    return pass;
  }

  int64_t Size(const RoutingProblem& problem, DecoderNeeds needs) const {
    const DecoderSizes sizes = kernels_.sizes(shape_, problem.nodes);
    needs.legs = NeedsAllLegs(MakeStepRules(problem));
    MemoryPieces<T> pieces(nullptr);
    LayOutDecoder<T>(sizes, kernels_.scratch(sizes, needs.gradient), needs, pieces);
    return pieces.used();
  }

  const DecoderShape shape_;
  const DecoderKernels<T> kernels_;
};

}  // namespace

int32_t MaxTourSteps(const RoutingProblem& problem) {
  if (problem.tsp) return problem.nodes;
  return std::max(0, 2 * (problem.nodes - 1) - 1);
}

template <typename T>
std::unique_ptr<AttentionDecoder<T>> MakeAttentionDecoder(const DecoderShape& shape, Isa isa) {
  return std::make_unique<KernelDecoder<T>>(shape, isa == Isa::kAvx512
                                                       ? simd::avx512::GetDecoderKernels<T>()
                                                       : simd::avx2::GetDecoderKernels<T>());
}
template std::unique_ptr<AttentionDecoder<float>> MakeAttentionDecoder(const DecoderShape&, Isa);
template std::unique_ptr<AttentionDecoder<double>> MakeAttentionDecoder(const DecoderShape&, Isa);

}  // namespace vrp
