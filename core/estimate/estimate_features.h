// Inputs of the network that estimates costs: features of nodes, of pairs and of the whole problem.
// All are free of the units of lengths, times and loads.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/estimate/quick_savings.h"
#include "core/estimate/subproblem.h"

namespace vrp {

// Features of a node. `plan` is that of QuickSavings; lengths are in units of the scale of
// Subproblem, and times in shares of the horizon.
inline constexpr auto kEstimateNodeFeatures = std::to_array<std::string_view>(
    {"depot", "x", "y", "depot_distance", "load", "nearest_distance", "plan_detour", "plan_end",
     "plan_load", "plan_size", "open", "close", "service", "windowed", "slack"});
// Features of an ordered pair of nodes: the distance, its nearness, whether the plan has the leg,
// and whether windows forbid it.
inline constexpr int32_t kEstimatePairFeatures = 4;
// Features of the whole problem. Lengths are logarithms of their ratio to the plan's cost.
inline constexpr auto kEstimateGlobals = std::to_array<std::string_view>({"log_customers",
                                                                          "tree",
                                                                          "nearest",
                                                                          "radial",
                                                                          "area",
                                                                          "spread",
                                                                          "depot_offset",
                                                                          "log_load",
                                                                          "log_routes",
                                                                          "fill",
                                                                          "load_variation",
                                                                          "largest_load",
                                                                          "clustering",
                                                                          "routes_bound",
                                                                          "depot_legs",
                                                                          "inner_legs",
                                                                          "detours",
                                                                          "detour_variation",
                                                                          "fill_variation",
                                                                          "size_variation",
                                                                          "half_empty",
                                                                          "beside_nearest",
                                                                          "distance_variation",
                                                                          "direction",
                                                                          "windowed",
                                                                          "width",
                                                                          "horizon",
                                                                          "service",
                                                                          "waiting",
                                                                          "time_bound",
                                                                          "forbidden",
                                                                          "log_width",
                                                                          "width_variation",
                                                                          "centre_variation"});
// The number of the first ones, which are not about times.
inline constexpr int32_t kEstimateLayoutGlobals = 24;

// Columns of a row of node features: the features, and a last one that is 1, for a product's bias.
inline constexpr auto kEstimateNodeInputs = static_cast<int32_t>(kEstimateNodeFeatures.size()) + 1;
static_assert(kEstimateNodeInputs == 16, "rows are whole vectors");
inline constexpr auto kEstimateGlobalCount = static_cast<int32_t>(kEstimateGlobals.size());

// The features of one problem and the plan that they are relative to. A new computation reuses the
// memory of the one before. Not thread-safe.
class EstimateFeatures {
 public:
  // Computes the features of `problem`, whose scale must not be 0. Those of nodes and pairs only if
  // `graph`.
  void Compute(const Subproblem& problem, bool graph = true);

  // Rotates the positions about the depot by an angle with this cosine and sine, and mirrors them
  // first if `mirror`: neither changes the cost.
  void Turn(float cosine, float sine, bool mirror);

  int32_t nodes() const { return nodes_; }
  const std::vector<float>& node_features() const { return node_features_; }  // [N, inputs]
  // [features, N, N]
  const std::vector<float>& pair_features() const { return pair_features_; }
  const std::array<float, kEstimateGlobalCount>& globals() const { return globals_; }
  // The plan's cost in the instance's unit, and its routes.
  double plan_cost() const { return plan_cost_; }
  int32_t plan_routes() const { return savings_.routes(); }

 private:
  void FindNearest(const Subproblem& problem);
  double TreeLength(const Subproblem& problem);
  void SetNodes(const Subproblem& problem);
  void SetPairs(const Subproblem& problem);
  void SetPairTimes(const Subproblem& problem);
  void SetGlobals(const Subproblem& problem);
  void SetPlanGlobals(const Subproblem& problem);
  void SetTimeGlobals(const Subproblem& problem);

  QuickSavings savings_;
  int32_t nodes_ = 0;
  double plan_cost_ = 0;
  float nearest_mean_ = 0;
  std::vector<float> nearest_;  // [N] distance to the nearest other customer
  std::vector<float> key_;      // of Prim's algorithm
  std::vector<float> node_features_, pair_features_;
  std::array<float, kEstimateGlobalCount> globals_ = {};
};

}  // namespace vrp
