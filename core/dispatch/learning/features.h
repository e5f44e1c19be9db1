// Features of waiting requests, from which networks predict prizes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/sampler.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"

namespace vrp {

// The names of the features, in their order. Times are in units of the mean travel time from the
// depot, those in epochs in units of the time to the next decision, and distances in units of the
// mean distance from the depot. A saving of two requests is what one route with both is shorter
// than two routes with one each (Clarke, Wright 1964), in the better order that keeps the windows;
// 0 if none does.
inline constexpr auto kDispatchFeatures = std::to_array<std::string_view>({
    "distance_from_depot",
    "distance_to_depot",
    "demand",   // as a share of the first vehicle's capacity
    "service",  // time
    "open",     // of the window after the departure, in epochs
    "close",
    "width",       // of the window, in epochs
    "latest",      // latest direct departure after the departure, in epochs
    "travel_q01",  // quantiles of the travel time to the site's customers
    "travel_q05",
    "travel_q10",
    "travel_q50",
    "known_saving_1",  // the largest savings with waiting requests
    "known_saving_2",
    "known_saving_4",
    "must_go_saving",    // the largest saving with a request that must go
    "known_compatible",  // share of the waiting requests with a saving
    "next_saving_1",     // the largest savings with requests drawn for the next decision,
    "next_saving_2",     // as means over several draws
    "next_saving_4",
    "later_saving_1",  // likewise with those of later decisions
    "later_saving_4",
    "next_compatible",  // share of the requests drawn for the next decision with a saving
    "known",            // number of waiting requests, in hundreds
    "must_go_share",    // share of the waiting requests that must go
    "later_decisions",  // number of later decisions, in tens
    "leaves_now",       // share of the planned scenarios in which the request leaves now
});
inline constexpr size_t kDispatchFeatureCount = kDispatchFeatures.size();
using DispatchFeatures = std::array<float, kDispatchFeatureCount>;

// The names of the features of a pair of waiting requests, in their order, in units of the mean
// distance from the depot.
inline constexpr auto kDispatchPairFeatures = std::to_array<std::string_view>({
    "pair_distance",  // from the first to the second
    "pair_distance_back",
    "pair_saving",
});
inline constexpr size_t kDispatchPairFeatureCount = kDispatchPairFeatures.size();

// The features of one decision with N requests.
struct DecisionFeatures {
  std::vector<DispatchFeatures> requests = {};  // [N]
  // [kDispatchPairFeatureCount, N, N] of each request with each other; a request has zeros with
  // itself. Empty unless FeatureOptions::pairs.
  std::vector<float> pairs = {};
};

// Settings of the features that draw requests.
struct FeatureOptions {
  int32_t draws = 4;      // draws of requests to come, for savings
  int32_t scenarios = 0;  // planned scenarios; 0: leaves_now is 0
  int32_t lookahead = 3;  // decisions after this one whose requests are drawn
  // Iterations of each scenario's search, unless `decision` allows fewer. A model needs those of
  // its training.
  int64_t scenario_iterations = INT64_MAX;
  bool pairs = false;             // whether features of pairs are wanted
  DecisionOptions decision = {};  // time and iterations for all scenarios; the seed of the draws
};

// Computes features. Immutable; thread-safe.
class FeatureMaker {
 public:
  FeatureMaker(DispatchSite site, std::shared_ptr<const RequestSampler> sampler);
  // Returns the features of the requests of `state`.
  absl::StatusOr<DecisionFeatures> Of(const DispatchState& state,
                                      const FeatureOptions& options) const;

 private:
  const DispatchSite site_;
  const std::shared_ptr<const RequestSampler> sampler_;
  std::vector<std::array<float, 4>> travel_quantiles_;  // of each node
};

}  // namespace vrp
