#include "tests/kernels/decoder_kinds.h"

#include <algorithm>
#include <cstdlib>

#include "core/kernels/decoder/batch_decoder.h"

namespace vrp {
namespace {

// A decoder that runs CUDA's programs on one CPU thread, with a batch of one instance.
template <typename T>
class ProgramDecoder final : public AttentionDecoder<T> {
 public:
  explicit ProgramDecoder(const DecoderShape& shape) : shape_(shape) {}

  int64_t ScratchSize(const RoutingProblem&, int32_t) const override { return 0; }

  DecodeStatus Rollout(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                       const DecodeRequest& request, const DecodeResult<T>& result,
                       T*) const override {
    if (request.stop.ShouldStop()) return DecodeStatus::kStopped;
    const StepRules rules = MakeStepRules(problem);
    std::vector<TrajectoryEnd> ends(static_cast<size_t>(request.trajectories));
    const absl::Status status =
        MakeSerialBatchDecoder<T>()->Rollout(BatchOf(rules, nodes),
                                             {.choice = request.choice,
                                              .trajectories = request.trajectories,
                                              .distinct_starts = request.distinct_starts,
                                              .temperature = request.temperature,
                                              .seed = request.seed,
                                              .stream = request.stream,
                                              .first_trajectory = request.first_trajectory,
                                              .max_steps = result.max_steps,
                                              .forced_choices = request.forced_choices},
                                             {.choices = result.choices,
                                              .lengths = result.lengths,
                                              .costs = result.costs,
                                              .log_likelihoods = result.log_likelihoods,
                                              .agreements = result.agreements,
                                              .ends = ends.data()});
    if (!status.ok()) std::abort();
    for (const TrajectoryEnd end : ends) {
      if (end == TrajectoryEnd::kUnreachable) return DecodeStatus::kUnreachable;
      if (end == TrajectoryEnd::kForbidden) return DecodeStatus::kForbidden;
    }
    for (int32_t p = 0; p < request.trajectories; ++p) {
      result.costs[p] = MetricSum(problem.metric, result.costs[p]);
    }
    return DecodeStatus::kDone;
  }

  DecodeStatus Beam(const RoutingProblem&, const DecoderNodes<const T>&, const BeamRequest&,
                    const DecodeResult<T>&, T*) const override {
    std::abort();
  }

  void SecondPass(const RoutingProblem& problem, const DecoderNodes<const T>& nodes,
                  const SecondPassRequest<T>& request, double* log_likelihoods,
                  const DecoderNodes<T>& gradient, T*) const override {
    const StepRules rules = MakeStepRules(problem);
    const absl::Status status =
        MakeSerialBatchDecoder<T>()->SecondPass(BatchOf(rules, nodes),
                                                {.trajectories = request.trajectories,
                                                 .distinct_starts = request.distinct_starts,
                                                 .label_smoothing = request.label_smoothing,
                                                 .max_steps = request.max_steps,
                                                 .choices = request.choices,
                                                 .weights = request.weights},
                                                log_likelihoods, {.first = gradient});
    if (!status.ok()) std::abort();
  }

 private:
  DecoderBatch<T> BatchOf(const StepRules& rules, const DecoderNodes<const T>& nodes) const {
    return {.shape = shape_,
            .instances = 1,
            .nodes = rules.problem.nodes,
            .rules = &rules,
            .projections = {.first = nodes}};
  }

  const DecoderShape shape_;
};

}  // namespace

std::vector<DecoderKind> DecoderKinds() {
  std::vector<DecoderKind> kinds;
  for (const Isa isa : UsableIsas()) kinds.emplace_back(isa);
  kinds.emplace_back(std::nullopt);
  return kinds;
}

std::string DecoderKindName(DecoderKind kind) {
  return kind.has_value() ? std::string(IsaName(*kind)) : "program";
}

template <typename T>
std::unique_ptr<AttentionDecoder<T>> MakeDecoderOfKind(DecoderKind kind,
                                                       const DecoderShape& shape) {
  if (kind.has_value()) return MakeAttentionDecoder<T>(shape, *kind);
  return std::make_unique<ProgramDecoder<T>>(shape);
}
template std::unique_ptr<AttentionDecoder<float>> MakeDecoderOfKind(DecoderKind,
                                                                    const DecoderShape&);
template std::unique_ptr<AttentionDecoder<double>> MakeDecoderOfKind(DecoderKind,
                                                                     const DecoderShape&);

}  // namespace vrp
