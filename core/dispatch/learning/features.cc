#include "core/dispatch/learning/features.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "core/base/status_macros.h"
#include "core/dispatch/learning/savings.h"
#include "core/dispatch/part_of_time.h"
#include "core/dispatch/scenario.h"

namespace vrp {
namespace {

constexpr uint64_t kDrawStream = 0x66656174;  // of random numbers
constexpr double kMostEpochs = 10;            // bound of times in epochs

// Names of places in the features.
enum Place : size_t {
  kFromDepot,
  kToDepot,
  kDemand,
  kService,
  kOpen,
  kClose,
  kWidth,
  kLatest,
  kTravelQuantiles,
  kKnownSavings = kTravelQuantiles + 4,
  kMustGoSaving = kKnownSavings + 3,
  kKnownCompatible,
  kNextSavings,
  kLaterSavings = kNextSavings + 3,
  kNextCompatible = kLaterSavings + 2,
  kKnown,
  kMustGoShare,
  kLaterDecisions,
  kLeavesNow,
  kEnd,
};
static_assert(kEnd == kDispatchFeatureCount);

// Returns the entry number `rank` (from 1) of `savings`, which is in descending order; 0 if it has
// fewer.
double Ranked(const std::vector<double>& savings, size_t rank) {
  return savings.size() >= rank ? savings[rank - 1] : 0;
}

// Sorts the first entries that Ranked may read.
void SortLargest(std::vector<double>& savings) {
  const size_t kept = std::min<size_t>(savings.size(), 4);
  std::partial_sort(savings.begin(), savings.begin() + static_cast<ptrdiff_t>(kept), savings.end(),
                    std::greater<>());
}

// Computes the features of one state.
class StateFeatures {
 public:
  StateFeatures(const DispatchSite& site, const DispatchState& state)
      : site_(site), state_(state), must_go_(MustGo(site, state)), rows_(state.requests.size()) {
    epoch_ = state.later_departures.empty() ? site.mean_travel_time()
                                            : state.later_departures.front() - state.departure;
    for (DispatchFeatures& row : rows_) row.fill(0);
  }

  void AddOwn(const std::vector<std::array<float, 4>>& travel_quantiles);
  void AddKnownSavings();
  void AddFutureSavings(const std::vector<std::vector<DispatchRequest>>& draws);
  void AddCounts();
  void AddLeavesNow(const std::vector<int32_t>& counts, int32_t scenarios) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      rows_[i][kLeavesNow] = static_cast<float>(counts[i]) / static_cast<float>(scenarios);
    }
  }
  DecisionFeatures Take(bool with_pairs) &&;

 private:
  float Distance(double value) const { return static_cast<float>(value / site_.mean_distance()); }
  float Epochs(double value) const {
    return static_cast<float>(std::clamp(value / epoch_, -kMostEpochs, kMostEpochs));
  }

  const DispatchSite& site_;
  const DispatchState& state_;
  const std::vector<bool> must_go_;
  double epoch_ = 1;
  std::vector<DispatchFeatures> rows_;
  std::vector<double> savings_;  // [N, N], of AddKnownSavings
};

void StateFeatures::AddOwn(const std::vector<std::array<float, 4>>& travel_quantiles) {
  const Instance& site = site_.instance();
  const double capacity = std::max(1e-9, site.capacity());
  for (size_t i = 0; i < rows_.size(); ++i) {
    const DispatchRequest& request = state_.requests[i];
    DispatchFeatures& row = rows_[i];
    const double latest = request.window.close - site.Duration(0, request.customer);
    row[kFromDepot] = Distance(site.Distance(0, request.customer));
    row[kToDepot] = Distance(site.Distance(request.customer, 0));
    row[kDemand] = static_cast<float>(request.demand.front() / capacity);
    row[kService] = static_cast<float>(request.service / site_.mean_travel_time());
    row[kOpen] = Epochs(request.window.open - state_.departure);
    row[kClose] = Epochs(request.window.close - state_.departure);
    row[kWidth] = Epochs(request.window.close - request.window.open);
    row[kLatest] = Epochs(latest - state_.departure);
    std::copy(travel_quantiles[request.customer].begin(), travel_quantiles[request.customer].end(),
              row.begin() + kTravelQuantiles);
  }
}

void StateFeatures::AddKnownSavings() {
  const size_t count = rows_.size();
  savings_.assign(count * count, 0);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < i; ++j) {
      savings_[i * count + j] =
          SavingOf(site_, state_.requests[i], state_.requests[j], state_.departure);
      savings_[j * count + i] = savings_[i * count + j];
    }
  }
  std::vector<double> savings;
  for (size_t i = 0; i < count; ++i) {
    const auto begin = savings_.begin() + static_cast<ptrdiff_t>(i * count);
    savings.assign(begin, begin + static_cast<ptrdiff_t>(count));
    double must_go = 0;
    double compatible = 0;
    for (size_t j = 0; j < count; ++j) {
      if (must_go_[j]) must_go = std::max(must_go, savings[j]);
      compatible += savings[j] > 0 ? 1 : 0;
    }
    SortLargest(savings);
    DispatchFeatures& row = rows_[i];
    row[kKnownSavings] = Distance(Ranked(savings, 1));
    row[kKnownSavings + 1] = Distance(Ranked(savings, 2));
    row[kKnownSavings + 2] = Distance(Ranked(savings, 4));
    row[kMustGoSaving] = Distance(must_go);
    row[kKnownCompatible] = static_cast<float>(compatible / static_cast<double>(count));
  }
}

void StateFeatures::AddFutureSavings(const std::vector<std::vector<DispatchRequest>>& draws) {
  if (state_.later_departures.empty()) return;
  const double next = state_.later_departures.front();
  const auto share = 1.0F / static_cast<float>(draws.size());
  std::vector<double> soon;
  std::vector<double> later;
  for (const std::vector<DispatchRequest>& draw : draws) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      soon.clear();
      later.clear();
      for (const DispatchRequest& other : draw) {
        const double saving = SavingOf(site_, state_.requests[i], other, state_.departure);
        (other.release <= next ? soon : later).push_back(saving);
      }
      SortLargest(soon);
      SortLargest(later);
      const auto compatible =
          std::count_if(soon.begin(), soon.end(), [](double saving) { return saving > 0; });
      DispatchFeatures& row = rows_[i];
      row[kNextSavings] += share * Distance(Ranked(soon, 1));
      row[kNextSavings + 1] += share * Distance(Ranked(soon, 2));
      row[kNextSavings + 2] += share * Distance(Ranked(soon, 4));
      row[kLaterSavings] += share * Distance(Ranked(later, 1));
      row[kLaterSavings + 1] += share * Distance(Ranked(later, 4));
      if (!soon.empty()) {
        row[kNextCompatible] +=
            share * static_cast<float>(compatible) / static_cast<float>(soon.size());
      }
    }
  }
}

void StateFeatures::AddCounts() {
  const auto count = static_cast<float>(rows_.size());
  const auto must_go = static_cast<float>(std::count(must_go_.begin(), must_go_.end(), true));
  for (DispatchFeatures& row : rows_) {
    row[kKnown] = count / 100;
    row[kMustGoShare] = must_go / count;
    row[kLaterDecisions] = static_cast<float>(state_.later_departures.size()) / 10;
  }
}

DecisionFeatures StateFeatures::Take(bool with_pairs) && {
  DecisionFeatures features = {.requests = std::move(rows_)};
  if (!with_pairs) return features;
  const size_t count = state_.requests.size();
  features.pairs.resize(kDispatchPairFeatureCount * count * count);
  float* const distances = features.pairs.data();
  float* const back = distances + count * count;
  float* const savings = back + count * count;
  for (size_t i = 0; i < count; ++i) {
    const NodeIndex from = state_.requests[i].customer;
    for (size_t j = 0; j < count; ++j) {
      const float distance = Distance(site_.instance().Distance(from, state_.requests[j].customer));
      distances[i * count + j] = i == j ? 0 : distance;
      back[j * count + i] = i == j ? 0 : distance;
      savings[i * count + j] = Distance(savings_[i * count + j]);
    }
  }
  return features;
}

// Returns for each request in how many scenarios it leaves now.
absl::StatusOr<std::vector<int32_t>> CountLeaving(const DispatchSite& site,
                                                  const DispatchState& state,
                                                  const RequestSampler& sampler,
                                                  const FeatureOptions& options) {
  std::vector<int32_t> counts(state.requests.size());
  const std::vector<bool> postponed(state.requests.size());
  for (int32_t k = 0; k < options.scenarios; ++k) {
    DecisionOptions one = options.decision;
    one.stop = PartOfTime(options.decision.stop, 1.0 / (options.scenarios - k));
    one.max_iterations = std::min(one.max_iterations, options.scenario_iterations);
    one.seed = options.decision.seed + static_cast<uint64_t>(k);
    VRP_ASSIGN_OR_RETURN(const ScenarioPlan plan,
                         PlanScenario(site, state, sampler, options.lookahead, postponed, one));
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += plan.leaves_now[i] ? 1 : 0;
  }
  return counts;
}

}  // namespace

FeatureMaker::FeatureMaker(DispatchSite site, std::shared_ptr<const RequestSampler> sampler)
    : site_(std::move(site)), sampler_(std::move(sampler)) {
  const Instance& instance = site_.instance();
  travel_quantiles_.resize(instance.num_nodes());
  std::vector<double> times;
  for (NodeIndex from = 0; from < instance.num_nodes(); ++from) {
    times.clear();
    for (NodeIndex to = 1; to < instance.num_nodes(); ++to) {
      if (to != from) times.push_back(instance.Duration(from, to) / site_.mean_travel_time());
    }
    if (times.empty()) continue;
    std::sort(times.begin(), times.end());
    size_t place = 0;
    for (const double quantile : {0.01, 0.05, 0.1, 0.5}) {
      const auto at = static_cast<size_t>(quantile * static_cast<double>(times.size()));
      travel_quantiles_[from][place++] = static_cast<float>(times[at]);
    }
  }
}

absl::StatusOr<DecisionFeatures> FeatureMaker::Of(const DispatchState& state,
                                                  const FeatureOptions& options) const {
  std::vector<double> departures = {state.departure};
  const size_t seen = std::min<size_t>(options.lookahead, state.later_departures.size());
  departures.insert(departures.end(), state.later_departures.begin(),
                    state.later_departures.begin() + static_cast<ptrdiff_t>(seen));
  std::vector<std::vector<DispatchRequest>> draws;
  CounterRandom random(options.decision.seed, kDrawStream);
  for (int32_t k = 0; k < options.draws; ++k) draws.push_back(sampler_->Draw(departures, random));
  StateFeatures features(site_, state);
  features.AddOwn(travel_quantiles_);
  features.AddKnownSavings();
  features.AddFutureSavings(draws);
  features.AddCounts();
  if (options.scenarios > 0) {
    VRP_ASSIGN_OR_RETURN(const std::vector<int32_t> counts,
                         CountLeaving(site_, state, *sampler_, options));
    features.AddLeavesNow(counts, options.scenarios);
  }
  return std::move(features).Take(options.pairs);
}

}  // namespace vrp
