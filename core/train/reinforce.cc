// REINFORCE (Williams 1992) with a greedy rollout of the best policy so far as baseline (Kool et
// al. 2019).
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/rollout.h"
#include "core/train/autocast.h"
#include "core/train/evaluation.h"
#include "core/train/learner.h"
#include "core/train/paired_t_test.h"
#include "core/train/training_data.h"

namespace vrp {
namespace {

constexpr double kAverageDecay = 0.8;  // of the moving average during warm-up

class ReinforceLearner final : public Learner {
 public:
  explicit ReinforceLearner(const LearnerOptions& options)
      : options_(options),
        network_(*options.network),
        baseline_(options.config.network, network_.tensor_options(), options.config.seed) {
    baseline_.parameters().CopyFrom(network_.parameters());
  }

  absl::StatusOr<StepOutcome> ComputeGradient(int64_t step, const StopCondition& stop) override {
    const TrainingConfig& config = options_.config;
    const int64_t batch = config.batch_size;
    VRP_ASSIGN_OR_RETURN(
        const std::vector<NetworkInput> inputs,
        GenerateInputs(config.problem, config.problem.seed, (step - 1) * batch, batch));
    const AutocastScope autocast(network_.tensor_options().device().type(), options_.amp);
    const EncodedNodes encoded = network_.Encode(MakeNodeBatch(inputs, network_.tensor_options()));
    VRP_ASSIGN_OR_RETURN(const Rollout rollout, RunRollout(network_, encoded.Detached(), inputs,
                                                           {.choice = Choice::kSample,
                                                            .seed = config.seed,
                                                            .stream = static_cast<uint64_t>(step),
                                                            .choices = {},
                                                            .record = true,
                                                            .stop = stop}));
    VRP_ASSIGN_OR_RETURN(const std::vector<double> advantages,
                         Advantages(step, inputs, rollout, stop));
    return Backward(encoded, rollout, inputs, advantages);
  }

  absl::StatusOr<std::string> EndEpoch(int64_t epoch, const StopCondition& stop) override {
    const TrainingConfig& config = options_.config;
    if (epoch < config.reinforce.warmup_epochs) return std::string();
    VRP_ASSIGN_OR_RETURN(
        const std::vector<NetworkInput> inputs,
        GenerateInputs(config.problem, config.problem.seed, BaselineInstances(replacements_),
                       config.reinforce.baseline_instances));
    VRP_ASSIGN_OR_RETURN(const std::vector<double> costs, GreedyCosts(network_, inputs, stop));
    VRP_ASSIGN_OR_RETURN(const std::vector<double> baseline, GreedyCosts(baseline_, inputs, stop));
    const double chance = PairedTTest(costs, baseline);
    const bool better = chance < config.reinforce.baseline_significance;
    if (better) {
      baseline_.parameters().CopyFrom(network_.parameters());
      ++replacements_;
    }
    return Concat("epoch ", epoch, ": policy ", FormatNumber(Rounded(Mean(costs))), ", baseline ",
                  FormatNumber(Rounded(Mean(baseline))), ", p ", FormatNumber(Rounded(chance)),
                  better ? ": the policy becomes the baseline" : ": the baseline stays");
  }

  std::map<std::string, double> Numbers() const override {
    return {{"reinforce.average", average_},
            {"reinforce.has_average", has_average_ ? 1 : 0},
            {"reinforce.replacements", static_cast<double>(replacements_)}};
  }
  std::map<std::string, at::Tensor> Tensors() const override {
    return {{"reinforce.baseline", baseline_.parameters().flat()}};
  }
  void Restore(const std::map<std::string, double>& numbers,
               const std::map<std::string, at::Tensor>& tensors) override {
    average_ = numbers.at("reinforce.average");
    has_average_ = numbers.at("reinforce.has_average") != 0;
    replacements_ = static_cast<int64_t>(numbers.at("reinforce.replacements"));
    baseline_.parameters().flat().copy_(tensors.at("reinforce.baseline"));
  }

 private:
  static double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

  // Each tour's cost less the baseline's, in sides of the instance's square, so that the units of
  // the coordinates do not matter.
  absl::StatusOr<std::vector<double>> Advantages(int64_t step,
                                                 const std::vector<NetworkInput>& inputs,
                                                 const Rollout& rollout,
                                                 const StopCondition& stop) {
    std::vector<double> costs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      costs.push_back(rollout.states[i].distance() / inputs[i].scale);
    }
    const int64_t epoch_steps = options_.config.StepsPerEpoch();
    if (step <= options_.config.reinforce.warmup_epochs * epoch_steps) {
      const double mean = Mean(costs);
      average_ = has_average_ ? kAverageDecay * average_ + (1 - kAverageDecay) * mean : mean;
      has_average_ = true;
      for (double& cost : costs) cost -= average_;
      return costs;
    }
    VRP_ASSIGN_OR_RETURN(const std::vector<double> baseline, GreedyCosts(baseline_, inputs, stop));
    for (size_t i = 0; i < costs.size(); ++i) costs[i] -= baseline[i] / inputs[i].scale;
    return costs;
  }

  absl::StatusOr<StepOutcome> Backward(const EncodedNodes& encoded, const Rollout& rollout,
                                       const std::vector<NetworkInput>& inputs,
                                       const std::vector<double>& advantages) const {
    const at::Tensor log_probabilities = ReplayLogProbabilities(network_, encoded, rollout);
    const at::Tensor likelihoods = log_probabilities.sum(1);
    const at::Tensor weights =
        at::tensor(at::ArrayRef<double>(advantages)).to(likelihoods.options());
    const at::Tensor loss = (weights * likelihoods).mean();
    StepOutcome outcome;
    outcome.loss = loss.item<double>();
    outcome.pass_difference = PassDifference(likelihoods, rollout);
    VRP_RETURN_IF_ERROR(CheckPassDifference(outcome.pass_difference, options_.amp));
    loss.backward();
    for (const RoutingState& state : rollout.states) outcome.cost += state.distance();
    outcome.cost /= static_cast<double>(inputs.size());
    return outcome;
  }

  static double PassDifference(const at::Tensor& likelihoods, const Rollout& rollout) {
    const at::Tensor host = likelihoods.detach().to(at::kCPU, at::kDouble).contiguous();
    double largest = 0;
    for (size_t row = 0; row < rollout.log_likelihoods.size(); ++row) {
      const double difference = host.const_data_ptr<double>()[row] - rollout.log_likelihoods[row];
      largest = std::max(largest, std::abs(difference));
    }
    return largest / static_cast<double>(std::max<int64_t>(1, rollout.steps));
  }

  const LearnerOptions options_;
  PointerNetwork& network_;
  PointerNetwork baseline_;
  double average_ = 0;
  bool has_average_ = false;
  int64_t replacements_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeReinforceLearner(const LearnerOptions& options) {
  return std::make_unique<ReinforceLearner>(options);
}

absl::Status CheckPassDifference(double difference, bool amp) {
  // Single precision over sums of some hundred terms; bf16 keeps 8 bits of logits up to 10.
  const double limit = amp ? 0.25 : 2e-3;
  if (!(difference > limit)) return absl::OkStatus();  // NaN is the caller's to count
  return absl::InternalError(Concat("the two passes' log-likelihoods differ by ",
                                    FormatNumber(difference), " a choice, more than ",
                                    FormatNumber(limit)));
}

}  // namespace vrp
