#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/train/learners/learner_parts.h"

namespace vrp {
namespace {

// Returns the cheapest trajectory of each instance, the first among equals.
std::vector<std::vector<int32_t>> CheapestTrajectories(const Trajectories& sampled) {
  std::vector<std::vector<int32_t>> best;
  const auto trajectories_per_instance = static_cast<size_t>(sampled.count);
  for (size_t first = 0; first < sampled.costs.size(); first += trajectories_per_instance) {
    const auto from = sampled.costs.begin() + static_cast<std::ptrdiff_t>(first);
    const auto found =
        std::min_element(from, from + static_cast<std::ptrdiff_t>(trajectories_per_instance));
    const std::span<const int32_t> choices = sampled.Choices(found - sampled.costs.begin());
    best.emplace_back(choices.begin(), choices.end());
  }
  return best;
}

// A learner that samples several tours of each instance without gradients. The best one becomes the
// label, and training raises the mean log-likelihood of its choices.
class SelfLabellingLearner final : public Learner {
 public:
  using Learner::Learner;

  LearnerLoss Loss() const override {
    return {.trajectories = options_.config.self_labelling_samples};
  }
  StepLoss LossAt(int64_t) const override { return {.baseline = StepBaseline::kBest}; }

  absl::StatusOr<StepOutcome> AddGradient(int64_t step, const TrainingBatch& batch,
                                          int32_t micro_batch, const StopCondition& stop) override {
    StepParts parts(*this, step, micro_batch, stop);
    for (const BatchPart& part : batch.parts) {
      VRP_RETURN_IF_ERROR(AddPart(part, batch.instances, parts));
    }
    VRP_RETURN_IF_ERROR(parts.AddRanks());
    StepOutcome outcome = parts.outcome;
    outcome.cost = parts.cost_sum / static_cast<double>(std::max<int64_t>(1, parts.trajectories));
    return outcome;
  }

 private:
  absl::Status AddPart(const BatchPart& part, int64_t instances, StepParts& parts) {
    const double start = parts.ThreadSeconds();
    VRP_ASSIGN_OR_RETURN(const Trajectories sampled,
                         options_.engine->Run(part.batch, parts.Sampled(part)));
    parts.AddRolloutSince(start);

    const std::vector<std::vector<int32_t>> labels = CheapestTrajectories(sampled);
    const auto weigh = [&](int64_t first, std::span<const double>, std::span<double> weights) {
      for (size_t i = 0; i < weights.size(); ++i) {
        const auto length = static_cast<double>(labels[static_cast<size_t>(first) + i].size());
        weights[i] = -1 / (length * static_cast<double>(instances));
      }
    };
    VRP_ASSIGN_OR_RETURN(const GradientOutcome outcome,
                         options_.engine->AddGradient(
                             part.batch, parts.Gradient(parts.ForLabels(part, labels)), weigh));
    return parts.AddOutcome(outcome);
  }
};

}  // namespace

std::unique_ptr<Learner> MakeSelfLabellingLearner(LearnerOptions options) {
  return std::make_unique<SelfLabellingLearner>(std::move(options));
}

}  // namespace vrp
