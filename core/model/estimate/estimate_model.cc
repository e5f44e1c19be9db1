#include "core/model/estimate/estimate_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/read_weights.h"
#include "core/model/weights/safetensors.h"

namespace vrp {
namespace {

constexpr float kLargestLogScale = 5;
constexpr double kRoutesSlack = 1e-4;  // loads are sums of rounded shares of the capacity

absl::Status CheckEstimateKind(const ModelCard& card, std::string_view name) {
  if (card.architecture == kEstimateArchitecture) return absl::OkStatus();
  return absl::FailedPreconditionError(
      Concat(name, ": is a model of the architecture ", card.architecture,
             "; wanted one that estimates costs, which `model: estimate` trains"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<CostEstimator>> CostEstimator::Create(
    const EstimateNetworkOptions& options) {
  VRP_ASSIGN_OR_RETURN(auto network, EstimateNetwork<float>::Create(options));
  return std::unique_ptr<CostEstimator>(new CostEstimator(std::move(network)));
}

void CostEstimator::SetParameters(std::span<const float> values) {
  network_->SetParameters(values);
  statistics_ = GetStatistics(values);
}

CostEstimator::Prediction CostEstimator::Predict(EstimateScratch& scratch) const {
  if (!(scratch.problem.scale() > 0)) return {};
  scratch.features.Compute(scratch.problem, network_->reads_graph());
  const EstimateStatistics::Globals& globals = scratch.features.globals();
  const EstimateStatistics::Globals normalised = statistics_.Normalised(globals);
  const EstimateOutputs<float> outputs =
      network_->Forward(scratch.features, normalised, false, scratch.pass);
  const auto median = [&](int32_t output, size_t target) {
    return static_cast<double>(statistics_.target_means[target] +
                               statistics_.target_deviations[target] * outputs[output]);
  };
  const auto scale = [&](int32_t output, size_t target) {
    const float log = std::clamp(outputs[output], -kLargestLogScale, kLargestLogScale);
    return static_cast<double>(statistics_.target_deviations[target] * std::exp(log));
  };
  return {.plan_cost = scratch.features.plan_cost(),
          .log_cost = std::log(scratch.features.plan_cost()) + median(kCostMedian, 0),
          .cost_scale = scale(kCostScale, 0),
          .log_routes = std::log(scratch.features.plan_routes()) + median(kRoutesMedian, 1),
          .routes_scale = scale(kRoutesScale, 1),
          .layout_distance = statistics_.layouts.Distance(normalised),
          .times_known = !scratch.problem.timed() ||
                         statistics_.times.Distance(normalised) <= statistics_.times.limit};
}

absl::StatusOr<EstimateModel> EstimateModel::Load(const std::string& directory,
                                                  std::string_view name) {
  const std::string card_path = Concat(directory, "/", kCardFile);
  const std::string weights_path = Concat(directory, "/", kWeightsFile);
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(card_path, kMaxCardBytes));
  VRP_ASSIGN_OR_RETURN(ModelCard card, ParseModelCard(text, card_path));
  VRP_RETURN_IF_ERROR(CheckEstimateKind(card, name));
  VRP_ASSIGN_OR_RETURN(EstimateSettings settings,
                       ParseEstimateSettings(card.architecture_json, card_path));
  if (card.input_features != EstimateInputFeatures()) {
    return absl::FailedPreconditionError(
        Concat(name, ": reads other features than this program computes; train it again"));
  }
  // Checks the sizes before the layout allocates by them.
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<CostEstimator> estimator,
                       CostEstimator::Create(settings.network));
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile weights, ReadWeights(weights_path, card));
  FlatParameters parameters(EstimateLayout(settings.network), 0);
  VRP_RETURN_IF_ERROR(parameters.Load(weights, weights_path));
  estimator->SetParameters(std::as_const(parameters).values());
  return EstimateModel(std::move(card), std::move(settings), std::move(estimator));
}

absl::StatusOr<CostEstimate> EstimateModel::Estimate(const Instance& instance,
                                                     std::span<const NodeIndex> customers,
                                                     EstimateScratch& scratch) const {
  VRP_RETURN_IF_ERROR(scratch.problem.Choose(instance, customers));
  return EstimateChosen(instance, scratch);
}

absl::StatusOr<CostEstimate> EstimateModel::Estimate(const Instance& instance,
                                                     EstimateScratch& scratch) const {
  VRP_RETURN_IF_ERROR(scratch.problem.ChooseAll(instance));
  return EstimateChosen(instance, scratch);
}

bool EstimateModel::knows_added_customers() const {
  return std::ranges::any_of(estimator_->statistics().added, [](float x) { return x != 0; });
}

absl::StatusOr<double> EstimateModel::AddedCost(NodeIndex customer, AddedCustomer& added) const {
  VRP_ASSIGN_OR_RETURN(const AddedCustomer::Features features, added.Compute(customer));
  return added.unit() * estimator_->statistics().AddedCost(features, added.timed());
}

CostEstimate EstimateModel::EstimateChosen(const Instance& instance,
                                           EstimateScratch& scratch) const {
  const Subproblem& problem = scratch.problem;
  const CostEstimator::Prediction predicted = estimator_->Predict(scratch);
  double loads = 0;
  for (int32_t i = 1; i < problem.nodes(); ++i) loads += static_cast<double>(problem.load(i));
  const double fewest = std::max(1.0, std::ceil(loads - kRoutesSlack));
  CostEstimate estimate;
  estimate.routes = fewest;
  estimate.routes_low = estimate.routes_high = static_cast<int32_t>(fewest);
  if (predicted.plan_cost > 0) {
    SetCosts(predicted, problem, estimate);
    SetRoutes(predicted, fewest, problem.customers(), estimate);
  }
  const bool knows_size = problem.customers() >= settings_.min_customers &&
                          problem.customers() <= settings_.max_customers;
  if (!knows_size) estimate.outside.push_back(OutsideReason::kSize);
  const bool knows_windows = settings_.windows > 0 || !problem.timed();
  if (!knows_windows || !predicted.times_known) {
    estimate.outside.push_back(OutsideReason::kWindows);
  }
  if (estimate.layout_distance > 1 || !(predicted.plan_cost > 0)) {
    estimate.outside.push_back(OutsideReason::kLayout);
  }
  const int32_t vehicles = instance.vehicles().front().count;
  if (vehicles > 0 && estimate.routes_high > vehicles) {
    estimate.outside.push_back(OutsideReason::kFleet);
  }
  return estimate;
}

void EstimateModel::SetCosts(const CostEstimator::Prediction& predicted, const Subproblem& problem,
                             CostEstimate& estimate) const {
  const EstimateStatistics& statistics = estimator_->statistics();
  const double log_cost =
      predicted.log_cost - statistics.Correction(problem.customers(), problem.timed());
  const double margin = static_cast<double>(statistics.interval_factors[0]) * predicted.cost_scale;
  estimate.cost = std::exp(log_cost);
  estimate.cost_low = std::exp(log_cost - margin);
  estimate.cost_high = std::exp(log_cost + margin);
  estimate.layout_distance =
      predicted.layout_distance / static_cast<double>(statistics.layouts.limit);
}

void EstimateModel::SetRoutes(const CostEstimator::Prediction& predicted, double fewest,
                              double most, CostEstimate& estimate) const {
  const double margin =
      static_cast<double>(estimator_->statistics().interval_factors[1]) * predicted.routes_scale;
  const auto bounded = [&](double log) {
    return std::clamp(std::exp(log), fewest, std::max(fewest, most));
  };
  estimate.routes = bounded(predicted.log_routes);
  estimate.routes_low = static_cast<int32_t>(std::lround(bounded(predicted.log_routes - margin)));
  estimate.routes_high = static_cast<int32_t>(std::lround(bounded(predicted.log_routes + margin)));
}

std::vector<std::string> EstimateInputFeatures() {
  std::vector<std::string> names(kEstimateNodeFeatures.begin(), kEstimateNodeFeatures.end());
  for (const std::string_view name : kEstimateGlobals) names.push_back(Concat("all.", name));
  return names;
}

int64_t CountEstimateParameters(const EstimateNetworkOptions& options) {
  return EstimateLayout(options).size();
}

}  // namespace vrp
