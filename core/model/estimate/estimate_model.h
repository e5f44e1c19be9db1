// Published models that estimate costs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/estimate/added_customer.h"
#include "core/estimate/estimate_features.h"
#include "core/estimate/subproblem.h"
#include "core/model/estimate/estimate_network.h"
#include "core/model/estimate/estimate_settings.h"
#include "core/model/estimate/estimate_statistics.h"
#include "core/model/weights/model_card.h"

namespace vrp {

// A reason why an estimate is outside what the model learned, so that its interval means little.
enum class OutsideReason {
  kSize,     // fewer or more customers than in the training
  kWindows,  // windows or service times unlike those of the training
  kLayout,   // positions and loads unlike those of the training
  kFleet,    // more routes than vehicles
};

// An estimate, in the instance's units.
struct CostEstimate {
  double cost = 0;
  double cost_low = 0;
  double cost_high = 0;
  double routes = 0;  // median, not rounded
  int32_t routes_low = 0;
  int32_t routes_high = 0;
  double layout_distance = 0;  // to the training, in units of the largest that counts as known
  std::vector<OutsideReason> outside = {};  // in the order of the enum
};

// The reusable memory of one thread.
struct EstimateScratch {
  Subproblem problem;
  EstimateFeatures features;
  EstimatePass<float> pass;
};

// A network with its statistics. Immutable but for SetParameters; thread-safe, each thread with its
// own scratch.
class CostEstimator {
 public:
  // The outputs of the network, before corrections.
  struct Prediction {
    double plan_cost = 0;   // of the quick plan, in the instance's unit; 0: all is at the depot
    double log_cost = 0;    // median of the logarithm of the cost
    double cost_scale = 0;  // of the error of log_cost
    double log_routes = 0;
    double routes_scale = 0;
    double layout_distance = 0;  // see EstimateStatistics
    bool times_known = true;     // whether features of times are in the training's range
  };

  // Returns the errors of EstimateNetwork::Create. SetParameters must follow.
  static absl::StatusOr<std::unique_ptr<CostEstimator>> Create(
      const EstimateNetworkOptions& options);
  // Takes parameters in the form of EstimateLayout.
  void SetParameters(std::span<const float> values);

  const EstimateStatistics& statistics() const { return statistics_; }
  const EstimateNetwork<float>& network() const { return *network_; }
  // Predicts the problem of `scratch`.
  Prediction Predict(EstimateScratch& scratch) const;

 private:
  explicit CostEstimator(std::unique_ptr<EstimateNetwork<float>> network)
      : network_(std::move(network)) {}

  const std::unique_ptr<EstimateNetwork<float>> network_;
  EstimateStatistics statistics_;
};

// An estimate model in memory. Immutable; thread-safe; copies share the weights.
class EstimateModel {
 public:
  // Loads the model in `directory`. `name` is the model's name in errors. Returns
  // kFailedPrecondition for a model of another kind, or one that reads other features. Returns
  // kDataLoss if the weights do not match the card, and the errors of the files. Blocks on the
  // disk.
  static absl::StatusOr<EstimateModel> Load(const std::string& directory, std::string_view name);

  const ModelCard& card() const { return card_; }
  const EstimateSettings& settings() const { return settings_; }
  const EstimateStatistics& statistics() const { return estimator_->statistics(); }

  // Estimates a plan for `customers` of `instance`, which Subproblem::CheckInstance must accept.
  // Returns the errors of Subproblem::Choose.
  absl::StatusOr<CostEstimate> Estimate(const Instance& instance,
                                        std::span<const NodeIndex> customers,
                                        EstimateScratch& scratch) const;
  // Whether the training had pairs of plans that differ by a customer.
  bool knows_added_customers() const;
  // Returns what `customer` adds to the cost of a plan for the base of `added`, in the instance's
  // unit. Returns the errors of AddedCustomer::Compute.
  absl::StatusOr<double> AddedCost(NodeIndex customer, AddedCustomer& added) const;
  // Estimates a plan for all customers.
  absl::StatusOr<CostEstimate> Estimate(const Instance& instance, EstimateScratch& scratch) const;

 private:
  EstimateModel(ModelCard card, EstimateSettings settings,
                std::shared_ptr<const CostEstimator> estimator)
      : card_(std::move(card)), settings_(std::move(settings)), estimator_(std::move(estimator)) {}
  CostEstimate EstimateChosen(const Instance& instance, EstimateScratch& scratch) const;
  void SetCosts(const CostEstimator::Prediction& predicted, const Subproblem& problem,
                CostEstimate& estimate) const;
  // `fewest` and `most` bound the number of routes.
  void SetRoutes(const CostEstimator::Prediction& predicted, double fewest, double most,
                 CostEstimate& estimate) const;

  ModelCard card_;
  EstimateSettings settings_;
  std::shared_ptr<const CostEstimator> estimator_;
};

// Returns the features that models read, for cards.
std::vector<std::string> EstimateInputFeatures();
// Returns the number of parameters on disk of a network of these sizes.
int64_t CountEstimateParameters(const EstimateNetworkOptions& options);

}  // namespace vrp
