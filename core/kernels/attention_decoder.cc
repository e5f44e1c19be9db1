#include "core/kernels/attention_decoder.h"

#include <algorithm>
#include <limits>

#include "core/base/random.h"
#include "core/kernels/routing_step.h"
#include "core/kernels/simd/attention_decoder_kernels.h"

namespace vrp {
namespace {

using simd::DecoderKernels;
using simd::DecoderSizes;
using simd::DecoderSteps;
using simd::PackedNodes;

// Nodes scored between two looks at the stop condition: some tenths of a millisecond.
constexpr int64_t kNodesBetweenPolls = 20'000;

// Hands out pieces of the caller's memory, each on a cache line of its own; from null, only counts.
template <typename T>
class Pieces {
 public:
  explicit Pieces(T* memory) {
    const auto misplaced = reinterpret_cast<uintptr_t>(memory) % kLine;
    memory_ = misplaced == 0 ? memory : memory + (kLine - misplaced) / sizeof(T);
  }

  template <typename Piece>
  Piece* Take(int64_t count) {
    const int64_t bytes = count * static_cast<int64_t>(sizeof(Piece));
    T* const taken = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (bytes + kLine - 1) / kLine * (kLine / sizeof(T));
    return reinterpret_cast<Piece*>(taken);
  }
  // With room for the first piece to begin on a line.
  int64_t used() const { return used_ + static_cast<int64_t>(kLine / sizeof(T)); }

 private:
  static constexpr int64_t kLine = 64;
  T* memory_ = nullptr;
  int64_t used_ = 0;
};

// The memory of either pass.
template <typename T>
struct Workspace {
  PackedNodes<T> packed;
  PackedNodes<T> sum;  // of gradients
  DecoderSteps<T> steps;
  T* kernels = nullptr;
  double* sums = nullptr;           // [P]
  RouteState* states = nullptr;     // [P]
  uint8_t* visited = nullptr;       // [P, N]
  int32_t* trajectories = nullptr;  // [block]: whose steps are in `steps`
};

template <typename T>
void TakeNodes(const DecoderSizes& sizes, bool columns, Pieces<T>& pieces, PackedNodes<T>& nodes) {
  nodes.keys = pieces.template Take<T>(sizes.nodes * sizes.row);
  nodes.values = pieces.template Take<T>(sizes.nodes * sizes.row);
  nodes.logit_keys = pieces.template Take<T>(sizes.nodes * sizes.row);
  if (!columns) return;
  nodes.key_columns = pieces.template Take<T>(sizes.padded_nodes * sizes.width);
  nodes.logit_key_columns = pieces.template Take<T>(sizes.padded_nodes * sizes.width);
}

template <typename T>
void TakeSteps(const DecoderSizes& sizes, Pieces<T>& pieces, DecoderSteps<T>& steps) {
  steps.currents = pieces.template Take<int32_t>(sizes.block);
  steps.firsts = pieces.template Take<int32_t>(sizes.block);
  steps.shares = pieces.template Take<T>(sizes.block * kContextShares);
  steps.masks = pieces.template Take<T>(sizes.block * sizes.padded_nodes);
  steps.choices = pieces.template Take<int32_t>(sizes.block);
  steps.uniforms = pieces.template Take<double>(sizes.block);
  steps.likeliest = pieces.template Take<int32_t>(sizes.block);
  steps.log_likelihoods = pieces.template Take<T>(sizes.block);
  steps.weights = pieces.template Take<T>(sizes.block);
  steps.allowed = pieces.template Take<int32_t>(sizes.block);
}

// A rollout keeps all its trajectories; a second pass walks one after the other.
template <typename T>
Workspace<T> LayOut(const DecoderSizes& sizes, int64_t kernels, bool gradient, int32_t trajectories,
                    Pieces<T>& pieces) {
  Workspace<T> space;
  TakeNodes(sizes, !gradient, pieces, space.packed);
  if (gradient) TakeNodes(sizes, false, pieces, space.sum);
  TakeSteps(sizes, pieces, space.steps);
  space.kernels = pieces.template Take<T>(kernels);
  const int64_t walking = gradient ? 1 : trajectories;
  space.sums = pieces.template Take<double>(trajectories);
  space.states = pieces.template Take<RouteState>(walking);
  space.visited = pieces.template Take<uint8_t>(walking * sizes.nodes);
  space.trajectories = pieces.template Take<int32_t>(sizes.block);
  return space;
}

// A number in [0, 1) for step t of a trajectory, from the first two words of the Philox block whose
// key is the seed and whose counter is (t + 2^20 * high, low, stream low, stream high), where low
// and high are the halves of the trajectory's number.
double StepUniform(const DecodeRequest& request, int64_t trajectory, int32_t t) {
  const auto number = static_cast<uint64_t>(trajectory);
  const PhiloxKey key = {
      {static_cast<uint32_t>(request.seed), static_cast<uint32_t>(request.seed >> 32)}};
  const uint32_t high = static_cast<uint32_t>(number >> 32);
  const PhiloxCounter block = PhiloxBlock(
      key, {{static_cast<uint32_t>(t) + (high << 20), static_cast<uint32_t>(number),
             static_cast<uint32_t>(request.stream), static_cast<uint32_t>(request.stream >> 32)}});
  return UnitDouble(block.lane[0] | (uint64_t{block.lane[1]} << 32));
}

// The p-th node that a mask allows, counted round.
template <typename T>
int32_t AllowedNode(const T* mask, int32_t count, int32_t p) {
  int32_t node = -1;
  for (int32_t i = p % count; i >= 0; --i) {
    do ++node;
    while (mask[node] != 0);
  }
  return node;
}

// Appends a step whose mask [padded_nodes] is already there.
template <typename T>
void AddStep(const StepRules& rules, const RouteState& state, DecoderSteps<T>& steps) {
  const int32_t row = steps.count++;
  const bool start = rules.problem.tsp && state.first < 0;
  steps.currents[row] = start ? -1 : state.current;
  steps.firsts[row] = state.first;
  WriteShares(rules, state, steps.shares + int64_t{row} * kContextShares);
}

template <typename T>
void ForbidPadding(const DecoderSizes& sizes, DecoderSteps<T>& steps) {
  for (int64_t row = 0; row < sizes.block; ++row) {
    std::fill(steps.masks + row * sizes.padded_nodes + sizes.nodes,
              steps.masks + (row + 1) * sizes.padded_nodes, -std::numeric_limits<T>::infinity());
  }
}

// One rollout: all trajectories take their step t, then their step t + 1.
template <typename T>
class RolloutRun {
 public:
  RolloutRun(const DecoderKernels<T>& kernels, const DecoderSizes& sizes,
             const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
             const DecodeRequest& request, const DecodeResult<T>& result, Workspace<T> space)
      : kernels_(kernels),
        sizes_(sizes),
        rules_(MakeStepRules(problem)),
        nodes_(nodes),
        request_(request),
        result_(result),
        space_(space),
        steps_(space_.steps) {}

  DecodeStatus Run() {
    kernels_.pack(sizes_, nodes_, space_.packed);
    ForbidPadding(sizes_, steps_);
    steps_.inverse_temperature = static_cast<T>(1 / request_.temperature);
    for (int32_t p = 0; p < request_.trajectories; ++p) Begin(p);
    for (int32_t t = 0; walking_; ++t) {
      if (request_.stop.ShouldStop()) return DecodeStatus::kStopped;
      walking_ = false;
      for (int32_t p = 0; p < request_.trajectories; ++p) {
        const DecodeStatus status = Step(p, t);
        if (status != DecodeStatus::kDone) return status;
      }
      ChooseSteps(t);
    }
    for (int32_t p = 0; p < request_.trajectories; ++p) {
      result_.costs[p] = MetricSum(rules_.problem.metric, space_.states[p].cost);
      result_.log_likelihoods[p] = space_.sums[p];
    }
    return DecodeStatus::kDone;
  }

 private:
  uint8_t* Visited(int32_t p) { return space_.visited + p * sizes_.nodes; }
  int32_t* Choices(int32_t p) { return result_.choices + int64_t{p} * result_.max_steps; }

  void Begin(int32_t p) {
    space_.states[p] = BeginTrajectory(rules_, Visited(p));
    space_.sums[p] = 0;
    result_.lengths[p] = 0;
    result_.agreements[p] = 0;
    std::fill_n(Choices(p), result_.max_steps, -1);
    walking_ = walking_ || !IsDone(space_.states[p]);
  }

  // Where only one node is allowed, or the first is given, the network is not asked.
  DecodeStatus Step(int32_t p, int32_t t) {
    const RouteState& state = space_.states[p];
    const int32_t* const follow = request_.choice == StepChoice::kFollow
                                      ? request_.follow + int64_t{p} * result_.max_steps
                                      : nullptr;
    if (IsDone(state)) return DecodeStatus::kDone;
    T* const mask = steps_.masks + steps_.count * sizes_.padded_nodes;
    const int32_t count = WriteMask(rules_, state, Visited(p), mask);
    if (count == 0) return DecodeStatus::kUnreachable;
    const int32_t wanted = follow == nullptr ? -1 : follow[t];
    if (follow != nullptr && (wanted < 0 || wanted >= sizes_.nodes || mask[wanted] != 0)) {
      return DecodeStatus::kForbidden;
    }
    const bool given = t == 0 && request_.distinct_starts;
    if (given || count == 1) {
      Go(p, t, follow != nullptr ? wanted : AllowedNode(mask, count, given ? p : 0));
      if (!given) ++result_.agreements[p];
      return DecodeStatus::kDone;
    }
    steps_.choices[steps_.count] = simd::kLikeliest;
    if (follow != nullptr) steps_.choices[steps_.count] = wanted;
    if (request_.choice == StepChoice::kSample) {
      steps_.choices[steps_.count] = simd::kDrawn;
      steps_.uniforms[steps_.count] = StepUniform(request_, request_.first_trajectory + p, t);
    }
    space_.trajectories[steps_.count] = p;
    AddStep(rules_, state, steps_);
    if (steps_.count < sizes_.block) return DecodeStatus::kDone;
    return ChooseSteps(t);
  }

  DecodeStatus ChooseSteps(int32_t t) {
    if (steps_.count == 0) return DecodeStatus::kDone;
    kernels_.choose(sizes_, nodes_, space_.packed, steps_, space_.kernels);
    for (int32_t row = 0; row < steps_.count; ++row) {
      const int32_t p = space_.trajectories[row];
      space_.sums[p] += static_cast<double>(steps_.log_likelihoods[row]);
      result_.agreements[p] += steps_.choices[row] == steps_.likeliest[row] ? 1 : 0;
      Go(p, t, steps_.choices[row]);
    }
    scored_ += steps_.count * sizes_.nodes;
    steps_.count = 0;
    if (scored_ < kNodesBetweenPolls) return DecodeStatus::kDone;
    scored_ = 0;
    return request_.stop.ShouldStop() ? DecodeStatus::kStopped : DecodeStatus::kDone;
  }

  void Go(int32_t p, int32_t t, int32_t node) {
    Take(rules_, node, space_.states[p], Visited(p));
    Choices(p)[t] = node;
    result_.lengths[p] = t + 1;
    walking_ = walking_ || !IsDone(space_.states[p]);
  }

  const DecoderKernels<T>& kernels_;
  const DecoderSizes& sizes_;
  const StepRules rules_;
  const DecoderNodes<const T>& nodes_;
  const DecodeRequest& request_;
  const DecodeResult<T>& result_;
  Workspace<T> space_;
  DecoderSteps<T>& steps_;
  bool walking_ = false;  // any trajectory
  int64_t scored_ = 0;    // nodes, since the last look at the stop condition
};

// One second pass: the steps of all trajectories, one trajectory after the other, in full blocks.
template <typename T>
class SecondPassRun {
 public:
  SecondPassRun(const DecoderKernels<T>& kernels, const DecoderSizes& sizes,
                const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                const SecondPassRequest<T>& request, const DecoderNodes<T>& gradient,
                Workspace<T> space)
      : kernels_(kernels),
        sizes_(sizes),
        rules_(MakeStepRules(problem)),
        nodes_(nodes),
        request_(request),
        gradient_(gradient),
        space_(space),
        steps_(space_.steps) {}

  void Run(double* log_likelihoods) {
    kernels_.pack(sizes_, nodes_, space_.packed);
    ForbidPadding(sizes_, steps_);
    steps_.label_smoothing = static_cast<T>(request_.label_smoothing);
    const bool wanted = gradient_.keys != nullptr;
    if (wanted) ClearSum();
    if (!wanted) space_.sum = {};
    std::fill_n(space_.sums, request_.trajectories, 0.0);
    for (int32_t p = 0; p < request_.trajectories; ++p) Walk(p);
    ScoreSteps();
    if (wanted) kernels_.unpack_gradient(sizes_, space_.sum, gradient_);
    std::copy_n(space_.sums, request_.trajectories, log_likelihoods);
  }

 private:
  void ClearSum() {
    for (T* const part : {space_.sum.keys, space_.sum.values, space_.sum.logit_keys}) {
      std::fill_n(part, sizes_.nodes * sizes_.row, T{0});
    }
  }

  void Walk(int32_t p) {
    const int32_t* const choices = request_.choices + int64_t{p} * request_.max_steps;
    RouteState state = BeginTrajectory(rules_, space_.visited);
    for (int32_t t = 0; !IsDone(state) && t < request_.max_steps && choices[t] >= 0; ++t) {
      if (t > 0 || !request_.distinct_starts) AddChoice(p, state, choices[t]);
      Take(rules_, choices[t], state, space_.visited);
    }
  }

  // The only node allowed is certain, whatever the weights.
  void AddChoice(int32_t p, const RouteState& state, int32_t choice) {
    T* const mask = steps_.masks + steps_.count * sizes_.padded_nodes;
    const int32_t count = WriteMask(rules_, state, space_.visited, mask);
    if (count <= 1) return;
    steps_.choices[steps_.count] = choice;
    steps_.allowed[steps_.count] = count;
    steps_.weights[steps_.count] =
        request_.weights == nullptr ? T{0} : static_cast<T>(request_.weights[p]);
    space_.trajectories[steps_.count] = p;
    AddStep(rules_, state, steps_);
    if (steps_.count == sizes_.block) ScoreSteps();
  }

  void ScoreSteps() {
    if (steps_.count == 0) return;
    kernels_.add_gradient(sizes_, nodes_, space_.packed, steps_, space_.sum, gradient_,
                          space_.kernels);
    for (int32_t row = 0; row < steps_.count; ++row) {
      space_.sums[space_.trajectories[row]] += static_cast<double>(steps_.log_likelihoods[row]);
    }
    steps_.count = 0;
  }

  const DecoderKernels<T>& kernels_;
  const DecoderSizes& sizes_;
  const StepRules rules_;
  const DecoderNodes<const T>& nodes_;
  const SecondPassRequest<T>& request_;
  const DecoderNodes<T>& gradient_;
  Workspace<T> space_;
  DecoderSteps<T>& steps_;
};

template <typename T>
class KernelDecoder : public AttentionDecoder<T> {
 public:
  KernelDecoder(const DecoderShape& shape, const DecoderKernels<T>& kernels)
      : shape_(shape), kernels_(kernels) {}

  int64_t ScratchSize(const RoutingProblem& problem, int32_t trajectories) const override {
    const DecoderSizes sizes = kernels_.sizes(shape_, problem.nodes);
    return std::max(Size(sizes, false, trajectories), Size(sizes, true, trajectories));
  }

  DecodeStatus Rollout(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                       const DecodeRequest& request, const DecodeResult<T>& result,
                       T* scratch) const override {
    const DecoderSizes sizes = kernels_.sizes(shape_, problem.nodes);
    Pieces<T> pieces(scratch);
    const Workspace<T> space =
        LayOut<T>(sizes, kernels_.scratch(sizes, false), false, request.trajectories, pieces);
    return RolloutRun<T>(kernels_, sizes, problem, nodes, request, result, space).Run();
  }

  void SecondPass(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                  const SecondPassRequest<T>& request, double* log_likelihoods,
                  const DecoderNodes<T>& gradient, T* scratch) const override {
    const DecoderSizes sizes = kernels_.sizes(shape_, problem.nodes);
    Pieces<T> pieces(scratch);
    const Workspace<T> space =
        LayOut<T>(sizes, kernels_.scratch(sizes, true), true, request.trajectories, pieces);
    SecondPassRun<T>(kernels_, sizes, problem, nodes, request, gradient, space)
        .Run(log_likelihoods);
  }

 private:
  int64_t Size(const DecoderSizes& sizes, bool gradient, int32_t trajectories) const {
    Pieces<T> pieces(nullptr);
    LayOut<T>(sizes, kernels_.scratch(sizes, gradient), gradient, trajectories, pieces);
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
