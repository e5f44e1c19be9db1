#include "core/train/estimate/estimate_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/plan/gap_reference.h"
#include "core/train/optimiser/clipped_step.h"
#include "core/train/run/result_card.h"

namespace vrp {
namespace {

constexpr char kEstimateAdamSteps[] = "adam_steps";
constexpr uint64_t kEstimateOrderStream = 0x6f726465;  // of random numbers
constexpr uint64_t kTurnStream = 0x7475726e;
constexpr int64_t kParts = 16;         // of a batch, each with its own gradient
constexpr float kRoutesWeight = 0.3F;  // of the error of routes, in the loss
constexpr float kLargestScale = 5;     // of a scale's logarithm

// Adds the loss of a Laplace distribution and its slopes.
void AddLaplace(float target, float weight, int32_t median, int32_t scale,
                EstimateOutputs<float>& slopes, const EstimateOutputs<float>& outputs,
                double& loss) {
  const float log_scale = std::clamp(outputs[scale], -kLargestScale, kLargestScale);
  const float precision = std::exp(-log_scale);
  const float error = outputs[median] - target;
  loss += static_cast<double>(weight * (std::abs(error) * precision + log_scale));
  slopes[median] += weight * precision * (error > 0 ? 1.0F : -1.0F);
  slopes[scale] += weight * (1 - std::abs(error) * precision);
}

}  // namespace

EstimateNetworkOptions NetworkOptionsOf(const EstimateConfig& config) {
  return {.width = config.width,
          .layers = config.layers,
          .heads = config.heads,
          .hidden = config.hidden};
}

absl::StatusOr<std::unique_ptr<EstimateLearner>> EstimateLearner::Create(
    RunContext& context, EstimateSamples samples, const EstimateStatistics& statistics,
    EstimateValidator validator) {
  VRP_ASSIGN_OR_RETURN(auto estimator,
                       CostEstimator::Create(NetworkOptionsOf(*context.config.estimate)));
  return std::unique_ptr<EstimateLearner>(new EstimateLearner(
      context, std::move(samples), statistics, std::move(validator), std::move(estimator)));
}

EstimateLearner::EstimateLearner(RunContext& context, EstimateSamples samples,
                                 const EstimateStatistics& statistics, EstimateValidator validator,
                                 std::unique_ptr<CostEstimator> estimator)
    : context_(context),
      task_(TrainingTask(context.config)),
      coarse_task_(CoarseTask(context.config)),
      samples_(std::move(samples)),
      validator_(std::move(validator)),
      estimator_(std::move(estimator)),
      statistics_(statistics),
      parameters_(EstimateLayout(NetworkOptionsOf(*context.config.estimate)), context.config.seed),
      adamw_(parameters_.layout(), {.weight_decay = context.config.weight_decay}),
      parts_(static_cast<size_t>(kParts)) {
  parameters_.TrackGradient();
  PutStatistics(statistics_, parameters_.values());
  estimator_->SetParameters(std::as_const(parameters_).values());
}

std::vector<int64_t> EstimateLearner::BatchOf(int64_t step) {
  const int64_t epoch = step / context_.steps_per_epoch;
  if (ordered_epoch_ != epoch) {
    order_.resize(static_cast<size_t>(samples_.size()));
    std::iota(order_.begin(), order_.end(), int64_t{0});
    CounterRandom random(context_.config.seed, kEstimateOrderStream, static_cast<uint32_t>(epoch));
    random.Shuffle(std::span<int64_t>(order_));
    ordered_epoch_ = epoch;
  }
  const int64_t size = context_.config.batch_size;
  const int64_t first = step % context_.steps_per_epoch * size;
  const int64_t last = std::min(first + size, std::ssize(order_));
  return {order_.begin() + first, order_.begin() + last};
}

void EstimateLearner::TurnAtRandom(int64_t step, int64_t sample, EstimateFeatures& features) const {
  CounterRandom random(context_.config.seed ^ kTurnStream, static_cast<uint64_t>(step),
                       static_cast<uint32_t>(sample));
  const double angle = 2 * std::numbers::pi * random.UniformDouble();
  features.Turn(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)),
                random.UniformInt(0, 1) == 1);
}

EstimateLearner::Graded EstimateLearner::Grade(int64_t step, int64_t sample, double cost,
                                               int32_t routes, EstimateScratch& scratch) const {
  const bool reads_graph = estimator_->network().reads_graph();
  scratch.features.Compute(scratch.problem, reads_graph);
  if (reads_graph) TurnAtRandom(step, sample, scratch.features);
  EstimateOutputs<float> outputs = estimator_->network().Forward(
      scratch.features, statistics_.Normalised(scratch.features.globals()), true, scratch.pass);
  if (IsCoarse(sample)) outputs[kCostMedian] += outputs[kCoarseGap];
  const auto target = [&](double ratio, size_t t) {
    return (static_cast<float>(std::log(ratio)) - statistics_.target_means[t]) /
           statistics_.target_deviations[t];
  };
  Graded graded;
  AddLaplace(target(cost / scratch.features.plan_cost(), 0), 1, kCostMedian, kCostScale,
             graded.slopes, outputs, graded.loss);
  if (IsCoarse(sample)) graded.slopes[kCoarseGap] = graded.slopes[kCostMedian];
  AddLaplace(target(double(routes) / scratch.features.plan_routes(), 1), kRoutesWeight,
             kRoutesMedian, kRoutesScale, graded.slopes, outputs, graded.loss);
  graded.cost =
      scratch.features.plan_cost() *
      std::exp(static_cast<double>(statistics_.target_means[0] +
                                   statistics_.target_deviations[0] * outputs[kCostMedian]));
  return graded;
}

void EstimateLearner::GradePair(const EstimateLabel& label, double customers, Graded& all,
                                Graded& without) const {
  const double weight = context_.config.estimate->pair_weight;
  const double unit = label.cost / customers;
  const double error = ((all.cost - without.cost) - (label.cost - label.cost_without)) / unit;
  all.loss += weight * std::abs(error);
  const double slope = weight * (error > 0 ? 1.0 : -1.0) / unit *
                       static_cast<double>(statistics_.target_deviations[0]);
  all.slopes[kCostMedian] += static_cast<float>(slope * all.cost);
  without.slopes[kCostMedian] -= static_cast<float>(slope * without.cost);
}

absl::Status EstimateLearner::AddInstance(int64_t step, int64_t sample, double share,
                                          Part& part) const {
  const bool coarse = IsCoarse(sample);
  const int64_t index = coarse ? sample - std::ssize(samples_.labels) : sample;
  const EstimateLabel& label = (coarse ? samples_.coarse : samples_.labels)[size_t(index)];
  VRP_RETURN_IF_ERROR(ChooseDrawn(coarse ? coarse_task_ : task_, index, false, part.all.problem));
  Graded all = Grade(step, sample, label.cost, label.routes, part.all);
  Graded without;
  if (label.paired) {
    VRP_RETURN_IF_ERROR(ChooseDrawn(task_, index, true, part.without.problem));
    without = Grade(step, sample, label.cost_without, label.routes_without, part.without);
    GradePair(label, part.all.problem.customers(), all, without);
  }
  const auto add = [&](EstimateScratch& scratch, Graded& graded) {
    for (float& slope : graded.slopes) slope *= static_cast<float>(share);
    estimator_->network().AddGradient(scratch.features, graded.slopes, scratch.pass, part.gradient);
    part.loss += share * graded.loss;
  };
  add(part.all, all);
  if (label.paired) add(part.without, without);
  part.cost += share * label.cost;
  return absl::OkStatus();
}

absl::StatusOr<StateStep> EstimateLearner::Step(int64_t step) {
  const std::vector<int64_t> batch = BatchOf(step);
  const double share = 1 / static_cast<double>(batch.size());
  const auto size = std::ssize(batch);
  context_.pool.ParallelFor(kParts, [&](int64_t p) {
    Part& part = parts_[static_cast<size_t>(p)];
    part.gradient.assign(static_cast<size_t>(parameters_.size()), 0);
    part.loss = part.cost = 0;
    part.status = absl::OkStatus();
    for (int64_t i = p * size / kParts; i < (p + 1) * size / kParts; ++i) {
      part.status.Update(AddInstance(step, batch[static_cast<size_t>(i)], share, part));
    }
  });
  StateStep result = {.instances = size};
  std::span<float> gradient = parameters_.gradient();
  std::ranges::fill(gradient, 0.0F);
  for (const Part& part : parts_) {
    VRP_RETURN_IF_ERROR(part.status);
    result.loss += part.loss;
    result.cost += part.cost;
    for (size_t k = 0; k < gradient.size(); ++k) gradient[k] += part.gradient[k];
  }
  VRP_ASSIGN_OR_RETURN(result.gradient_norm, TakeClippedStep(context_.config, step, context_.pool,
                                                             nullptr, parameters_, adamw_));
  estimator_->SetParameters(std::as_const(parameters_).values());
  return result;
}

absl::StatusOr<ValidationScore> EstimateLearner::Validate() {
  VRP_ASSIGN_OR_RETURN(score_, validator_.Validate(*estimator_, statistics_));
  PutStatistics(statistics_, parameters_.values());
  estimator_->SetParameters(std::as_const(parameters_).values());
  return ValidationScore{.cost = score_.error,
                         .gap = Gap(score_.error, validator_.reference()),
                         .accuracy = std::numeric_limits<double>::quiet_NaN()};
}

int64_t EstimateLearner::InstancesSeen(int64_t steps) const {
  const int64_t in_epoch = steps % context_.steps_per_epoch * context_.config.batch_size;
  return steps / context_.steps_per_epoch * samples_.size() + std::min(samples_.size(), in_epoch);
}

std::string EstimateLearner::ScoreText(const ValidationScore& score) const {
  return absl::StrFormat(
      "mean error %.2f %% (%.2f %% without windows, %.2f %% with), savings "
      "%.2f %%",
      100 * score.cost, 100 * score_.error_without_windows, 100 * score_.error_with_windows,
      100 * validator_.reference());
}

std::string EstimateLearner::StepsText(double loss) const {
  return absl::StrFormat("loss %.4f", loss);
}

absl::StatusOr<EstimateScore> EstimateLearner::ScoreOf(std::span<const float> parameters) const {
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<CostEstimator> estimator,
                       CostEstimator::Create(NetworkOptionsOf(*context_.config.estimate)));
  estimator->SetParameters(parameters);
  EstimateStatistics statistics = estimator->statistics();
  return validator_.Validate(*estimator, statistics);
}

absl::Status EstimateLearner::WriteModel(const std::string& directory, const std::string& job_name,
                                         std::span<const float> parameters,
                                         const TrainingResult& result) const {
  const EstimateConfig& config = *context_.config.estimate;
  VRP_ASSIGN_OR_RETURN(const EstimateScore score, ScoreOf(parameters));
  const EstimateSettings settings = {
      .network = NetworkOptionsOf(config),
      .min_customers = config.min_customers,
      .max_customers = config.max_customers,
      .windows = config.windows,
      .instances = config.instances,
      .first_seed = config.first_seed,
      .labels = Concat("search, ", config.label_iterations, " iterations per customer"),
      .coverage = config.coverage,
      .error = score.error,
      .error_with_windows = score.error_with_windows};
  const std::string file = parameters_.Save(parameters);
  ModelCard card = CardOf(context_.config, job_name, result);
  card.architecture = kEstimateArchitecture;
  card.architecture_json = WriteEstimateSettings(settings);
  card.input_features = EstimateInputFeatures();
  card.parameters = parameters_.size();
  card.weights_sha256 = Sha256Hex(file);
  VRP_RETURN_IF_ERROR(EnsureDirectory(directory));
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(directory, "/", kWeightsFile), file));
  return AtomicWriteFile(Concat(directory, "/", kCardFile), WriteModelCard(card));
}

std::map<std::string, double> EstimateLearner::ScalarState() const {
  return {{kEstimateAdamSteps, static_cast<double>(adamw_.steps())}};
}

std::map<std::string, std::span<float>> EstimateLearner::TensorState() {
  return {{"parameters", parameters_.values()},
          {"adam.mean", adamw_.mean()},
          {"adam.square", adamw_.square()}};
}

absl::Status EstimateLearner::Restore(const std::map<std::string, double>& scalars,
                                      std::span<const int32_t>) {
  adamw_.set_steps(static_cast<int64_t>(scalars.at(kEstimateAdamSteps)));
  statistics_ = GetStatistics(std::as_const(parameters_).values());
  estimator_->SetParameters(std::as_const(parameters_).values());
  return absl::OkStatus();
}

}  // namespace vrp
