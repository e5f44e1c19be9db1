// Trains by REINFORCE with one of three baselines. They are a greedy rollout of the best policy so
// far (Kool et al. 2019), a moving average, and the mean of an instance's own trajectories. Own
// trajectories begin at different nodes (POMO, Kwon et al. 2020), or the network samples their
// first node too. For such samples see Kool et al. 2019, "Buy 4 REINFORCE Samples, Get a Baseline
// for Free!".
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/data/instance_source.h"
#include "core/train/learners/learner_parts.h"
#include "core/train/learners/paired_t_test.h"

namespace vrp {
namespace {

double Mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

// Returns `costs` divided by the sides of the instances' squares, so that the coordinates' units do
// not matter.
std::vector<double> Scaled(std::span<const double> costs, const NetworkBatch& batch) {
  std::vector<double> scaled(costs.begin(), costs.end());
  const size_t trajectories_per_instance = costs.size() / batch.problems.size();
  for (size_t i = 0; i < scaled.size(); ++i)
    scaled[i] /= batch.problems[i / trajectories_per_instance].scale;
  return scaled;
}

// The costs of the policy or the baseline on the instances on which both are compared.
struct EpochCosts {
  std::vector<double> scaled;  // compared, because each instance counts equally
  double sum = 0;              // in the instances' unit, as validations report it

  double Mean() const { return sum / static_cast<double>(std::max<size_t>(1, scaled.size())); }
};

// The weights of a part's trajectories: their advantages, divided so that the loss is a mean.
struct AdvantageWeights {
  const NetworkBatch& batch;
  size_t trajectories_per_instance;  // P
  std::vector<double> baseline;  // [B], scaled; empty: the mean of an instance's own trajectories
  int64_t instances;             // number of instances in the whole step

  // Computes `weights` from `costs`, both [count, P], of the part's instances from `first` on.
  void operator()(int64_t first, std::span<const double> costs, std::span<double> weights) const {
    const auto share =
        static_cast<double>(instances) * static_cast<double>(trajectories_per_instance);
    for (size_t i = 0; i * trajectories_per_instance < costs.size(); ++i) {
      const size_t b = static_cast<size_t>(first) + i;
      const double scale = batch.problems[b].scale;
      const std::span<const double> own =
          costs.subspan(i * trajectories_per_instance, trajectories_per_instance);
      const double base = baseline.empty() ? Mean(own) / scale : baseline[b];
      for (size_t p = 0; p < trajectories_per_instance; ++p)
        weights[i * trajectories_per_instance + p] = (own[p] / scale - base) / share;
    }
  }
};

class ReinforceLearner final : public Learner {
 public:
  using Learner::Learner;

  // Copies the policy's weights to the baseline engine, if there is one.
  absl::Status ReplaceBaseline() {
    if (options_.baseline == nullptr) return absl::OkStatus();
    const std::span<const float> values = options_.engine->parameters().values();
    std::copy(values.begin(), values.end(), options_.baseline->parameters().values().begin());
    return options_.baseline->ParametersChanged();
  }

  LearnerLoss Loss() const override {
    const ReinforceConfig& config = options_.config.reinforce;
    return {.trajectories = config.baseline == Baseline::kSamples ? config.samples : config.starts,
            .distinct_starts = config.baseline == Baseline::kPomo,
            .average_decay = config.average_decay,
            .baseline = options_.baseline.get()};
  }
  StepLoss LossAt(int64_t step) const override {
    const ReinforceConfig& config = options_.config.reinforce;
    switch (config.baseline) {
      case Baseline::kPomo:
      case Baseline::kSamples:
        return {.baseline = StepBaseline::kShared};
      case Baseline::kExponential:
        return {.baseline = StepBaseline::kAverage};
      case Baseline::kGreedyRollout:
        break;
    }
    const int64_t warmup = config.warmup_epochs * options_.config.StepsPerEpoch();
    return {.baseline = step <= warmup ? StepBaseline::kAverage : StepBaseline::kGreedy};
  }

  absl::StatusOr<StepOutcome> AddGradient(int64_t step, const TrainingBatch& batch,
                                          int32_t micro_batch, const StopCondition& stop) override {
    StepParts parts(*this, step, micro_batch, stop);
    const StepBaseline kind = parts.loss().baseline;
    double average = average_.value;
    if (kind == StepBaseline::kAverage && !average_.known) {
      VRP_ASSIGN_OR_RETURN(average, FirstAverage(step, batch, parts, stop));
    }
    double sum = 0;
    for (const BatchPart& part : batch.parts) {
      const RolloutRequest rollout = parts.Sampled(part);
      VRP_ASSIGN_OR_RETURN(std::vector<double> baseline,
                           BaselineCosts(part, average, rollout.stop, parts));
      const AdvantageWeights weighing{
          .batch = part.batch,
          .trajectories_per_instance = static_cast<size_t>(rollout.trajectories),
          .baseline = std::move(baseline),
          .instances = batch.instances};
      VRP_ASSIGN_OR_RETURN(
          const GradientOutcome outcome,
          options_.engine->AddGradient(part.batch, parts.Gradient(rollout), weighing));
      VRP_RETURN_IF_ERROR(parts.AddOutcome(outcome));
      for (const double cost : Scaled(outcome.trajectories.costs, part.batch)) sum += cost;
    }
    VRP_RETURN_IF_ERROR(parts.AddRanks(sum));
    if (kind == StepBaseline::kAverage) {
      const double decay = Loss().average_decay;
      average_ = {
          .value = decay * average + (1 - decay) * sum / static_cast<double>(batch.instances),
          .known = true};
    }
    const int64_t count = std::max<int64_t>(1, parts.trajectories);
    parts.outcome.cost = parts.cost_sum / static_cast<double>(count);
    return parts.outcome;
  }

  absl::StatusOr<std::string> EndEpoch(int64_t epoch, const StopCondition& stop) override {
    const ReinforceConfig& config = options_.config.reinforce;
    if (options_.baseline == nullptr || epoch < config.warmup_epochs) return std::string();
    EpochCosts policy, baseline;
    absl::Status compared = AppendShare(stop, policy, baseline);
    if (options_.ranks != nullptr) {
      VRP_RETURN_IF_ERROR(JoinCosts(std::exchange(compared, absl::OkStatus()), policy));
      VRP_RETURN_IF_ERROR(JoinCosts(compared, baseline));
    }
    VRP_RETURN_IF_ERROR(compared);
    const double p_value = PairedTTest(policy.scaled, baseline.scaled);
    const bool better = p_value < config.baseline_significance;
    if (better) {
      VRP_RETURN_IF_ERROR(ReplaceBaseline());
      ++replacements_;
    }
    return Concat("epoch ", epoch, ": mean cost of the policy ",
                  FormatNumber(Rounded(policy.Mean())), ", of the baseline ",
                  FormatNumber(Rounded(baseline.Mean())), " on ", policy.scaled.size(),
                  " instances, p ", FormatNumber(Rounded(p_value)),
                  better ? ": the policy becomes the baseline" : ": the baseline stays");
  }

  MovingAverage* average() override { return &average_; }

  std::map<std::string, double> ScalarState() const override {
    return {{"reinforce.average", average_.value},
            {"reinforce.has_average", average_.known ? 1 : 0},
            {"reinforce.replacements", static_cast<double>(replacements_)}};
  }
  std::map<std::string, std::span<float>> TensorState() override {
    if (options_.baseline == nullptr) return {};
    return {{"reinforce.baseline", options_.baseline->parameters().values()}};
  }
  absl::Status Restore(const std::map<std::string, double>& numbers) override {
    average_ = {.value = numbers.at("reinforce.average"),
                .known = numbers.at("reinforce.has_average") != 0};
    replacements_ = static_cast<int64_t>(numbers.at("reinforce.replacements"));
    if (options_.baseline == nullptr) return absl::OkStatus();
    return options_.baseline->ParametersChanged();
  }

 private:
  // Maximum number of instances on which EndEpoch compares at once.
  static constexpr int64_t kInstancesPerPart = 512;

  // Returns the scaled baseline of each instance of `part`, or an empty vector with
  // StepBaseline::kShared.
  absl::StatusOr<std::vector<double>> BaselineCosts(const BatchPart& part, double average,
                                                    const StopCondition& stop,
                                                    StepParts& parts) const {
    switch (parts.loss().baseline) {
      case StepBaseline::kAverage:
        return std::vector<double>(part.batch.problems.size(), average);
      case StepBaseline::kGreedy:
        return TimedCosts(*options_.baseline, part.batch, parts, stop);
      case StepBaseline::kShared:
      case StepBaseline::kBest:  // only self-labelling uses it
        break;
    }
    return std::vector<double>();
  }

  // Returns the mean scaled cost of a greedy rollout, which serves as the average at the first
  // step.
  absl::StatusOr<double> FirstAverage(int64_t step, const TrainingBatch& batch, StepParts& parts,
                                      const StopCondition& stop) {
    if (first_average_.step == step) return first_average_.value;
    double sum = 0;
    for (const BatchPart& part : batch.parts) {
      VRP_ASSIGN_OR_RETURN(const std::vector<double> costs,
                           TimedCosts(*options_.engine, part.batch, parts, stop));
      for (const double cost : costs) sum += cost;
    }
    if (options_.ranks != nullptr) {
      VRP_ASSIGN_OR_RETURN(const std::vector<double> sums,
                           options_.ranks->Gather(absl::OkStatus(), {&sum, 1}));
      sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    }
    first_average_ = {.step = step, .value = sum / static_cast<double>(batch.instances)};
    return first_average_.value;
  }

  // Returns scaled greedy costs of `engine` and counts the time as rollout.
  absl::StatusOr<std::vector<double>> TimedCosts(const PolicyEngine& engine,
                                                 const NetworkBatch& batch, StepParts& parts,
                                                 const StopCondition& stop) const {
    const double start = parts.ThreadSeconds();
    VRP_ASSIGN_OR_RETURN(
        const std::vector<double> costs,
        GreedyCosts(engine, batch, {.stop = stop, .pool = options_.pool, .bf16 = options_.bf16}));
    parts.AddRolloutSince(start);
    return Scaled(costs, batch);
  }

  absl::Status AppendCosts(const PolicyEngine& engine, const NetworkBatch& batch,
                           const StopCondition& stop, EpochCosts& costs) const {
    VRP_ASSIGN_OR_RETURN(
        const std::vector<double> found,
        GreedyCosts(engine, batch, {.stop = stop, .pool = options_.pool, .bf16 = options_.bf16}));
    for (const double cost : found) costs.sum += cost;
    const std::vector<double> scaled = Scaled(found, batch);
    costs.scaled.insert(costs.scaled.end(), scaled.begin(), scaled.end());
    return absl::OkStatus();
  }

  // Appends the costs of the policy and the baseline on this rank's share of the epoch's instances.
  absl::Status AppendShare(const StopCondition& stop, EpochCosts& policy,
                           EpochCosts& baseline) const {
    const RankGroup alone(nullptr);
    const RankGroup& ranks = options_.ranks == nullptr ? alone : *options_.ranks;
    const int64_t instances = options_.config.reinforce.baseline_instances;
    const int64_t last = instances * (ranks.rank() + 1) / ranks.ranks();
    for (int64_t done = instances * ranks.rank() / ranks.ranks(); done < last;
         done += kInstancesPerPart) {
      VRP_ASSIGN_OR_RETURN(
          const NetworkBatch batch,
          options_.source->DrawInstances(BaselineInstances(replacements_) + done,
                                         std::min(kInstancesPerPart, last - done), options_.pool));
      VRP_RETURN_IF_ERROR(AppendCosts(*options_.engine, batch, stop, policy));
      VRP_RETURN_IF_ERROR(AppendCosts(*options_.baseline, batch, stop, baseline));
    }
    return absl::OkStatus();
  }

  // Replaces the costs by those of all ranks. `status`: whether this rank found its own.
  absl::Status JoinCosts(const absl::Status& status, EpochCosts& costs) const {
    VRP_ASSIGN_OR_RETURN(costs.scaled, options_.ranks->Join(status, costs.scaled));
    VRP_ASSIGN_OR_RETURN(const std::vector<double> sums,
                         options_.ranks->Gather(absl::OkStatus(), {&costs.sum, 1}));
    costs.sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    return absl::OkStatus();
  }

  // The average before the first step. A step that is repeated in smaller parts uses it again,
  // because the ranks compute it together and only once.
  struct FirstValue {
    int64_t step = 0;  // 0: not computed
    double value = 0;
  };

  MovingAverage average_;
  FirstValue first_average_;
  int64_t replacements_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Learner>> MakeReinforceLearner(LearnerOptions options) {
  auto learner = std::make_unique<ReinforceLearner>(std::move(options));
  VRP_RETURN_IF_ERROR(learner->ReplaceBaseline());
  return learner;
}

}  // namespace vrp
