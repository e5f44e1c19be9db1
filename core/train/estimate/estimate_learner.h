// An estimate model under training.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/estimate/estimate_model.h"
#include "core/model/weights/flat_parameters.h"
#include "core/train/estimate/estimate_data.h"
#include "core/train/estimate/estimate_validator.h"
#include "core/train/optimiser/adamw.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_run.h"

namespace vrp {

// Returns the sizes of the network that the configuration states.
EstimateNetworkOptions NetworkOptionsOf(const EstimateConfig& config);

// The labels of a training: those of TrainingTask and of CoarseTask.
struct EstimateSamples {
  std::vector<EstimateLabel> labels = {};
  std::vector<EstimateLabel> coarse = {};

  int64_t size() const { return std::ssize(labels) + std::ssize(coarse); }
};

// The network, its optimiser, its instances and its validation. The loss is the negative
// log-likelihood of Laplace distributions of log(cost) and log(routes), and the error of the
// difference between both costs of a pair. Positions are turned at random. Steps do not depend on
// the number of threads.
class EstimateLearner final : public StateLearner {
 public:
  // Makes a network with random weights by training.seed. `context` must outlive the learner.
  // Returns the errors of EstimateNetwork::Create.
  static absl::StatusOr<std::unique_ptr<EstimateLearner>> Create(
      RunContext& context, EstimateSamples samples, const EstimateStatistics& statistics,
      EstimateValidator validator);

  absl::StatusOr<StateStep> Step(int64_t step) override;
  absl::StatusOr<ValidationScore> Validate() override;
  FlatParameters& parameters() override { return parameters_; }
  int64_t InstancesSeen(int64_t steps) const override;
  double reference() const override { return validator_.reference(); }
  std::string reference_name() const override { return "savings"; }
  std::string ScoreText(const ValidationScore& score) const override;
  std::string StepsText(double loss) const override;
  absl::Status WriteModel(const std::string& directory, const std::string& job_name,
                          std::span<const float> parameters,
                          const TrainingResult& result) const override;
  std::map<std::string, double> ScalarState() const override;
  std::map<std::string, std::span<float>> TensorState() override;
  absl::Status Restore(const std::map<std::string, double>& scalars,
                       std::span<const int32_t> integers) override;

 private:
  // The memory and the sums of a part of a batch.
  struct Part {
    EstimateScratch all;      // with every customer
    EstimateScratch without;  // without the last one
    std::vector<float> gradient;
    double loss = 0;
    double cost = 0;  // sum of the labels
    absl::Status status;
  };
  // A prediction and what the loss makes of it.
  struct Graded {
    EstimateOutputs<float> slopes = {};
    double loss = 0;
    double cost = 0;  // predicted
  };

  EstimateLearner(RunContext& context, EstimateSamples samples,
                  const EstimateStatistics& statistics, EstimateValidator validator,
                  std::unique_ptr<CostEstimator> estimator);

  std::vector<int64_t> BatchOf(int64_t step);
  absl::StatusOr<EstimateScore> ScoreOf(std::span<const float> parameters) const;
  absl::Status AddInstance(int64_t step, int64_t sample, double share, Part& part) const;
  // Predicts the problem of `scratch`, turned at random, and grades the prediction.
  Graded Grade(int64_t step, int64_t sample, double cost, int32_t routes,
               EstimateScratch& scratch) const;
  // Turns positions by an angle that the step and the sample determine.
  void TurnAtRandom(int64_t step, int64_t sample, EstimateFeatures& features) const;
  // Whether a sample is one of the coarse ones, which come last.
  bool IsCoarse(int64_t sample) const { return sample >= std::ssize(samples_.labels); }
  // Adds the error of the difference of a pair.
  void GradePair(const EstimateLabel& label, double customers, Graded& all, Graded& without) const;

  RunContext& context_;
  const LabelTask task_;
  const LabelTask coarse_task_;
  const EstimateSamples samples_;
  const EstimateValidator validator_;
  const std::unique_ptr<CostEstimator> estimator_;
  EstimateStatistics statistics_;
  FlatParameters parameters_;
  AdamW adamw_;
  EstimateScore score_;
  std::vector<Part> parts_;
  int64_t ordered_epoch_ = -1;  // the epoch of order_
  std::vector<int64_t> order_;
};

}  // namespace vrp
