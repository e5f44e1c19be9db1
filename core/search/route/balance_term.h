// The part of a plan's cost that depends on the spread between routes
// (core/problem/instance/balance.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/plan/route_balance.h"
#include "core/search/model/route_evaluator.h"
#include "core/search/route/search_route.h"

namespace vrp {

// The measures of a plan's routes.
struct BalanceSums {
  SpreadMeter meter = {};
  double outside = 0;  // sum of the distances of measures to the band
};

// The term of one problem: the cost of the spread, and a price for each unit beyond the limit. Not
// thread-safe.
//
// A spread follows from two routes only. So while it exceeds the limit, each route outside a band
// that is as wide as the limit is charged too. Plans that keep the limit are not.
class BalanceTerm {
 public:
  explicit BalanceTerm(const Problem& problem);

  // Whether the instance has a balance; all else may only be called then.
  bool active() const { return balance_ != nullptr; }
  bool limited() const { return balance_->max_spread != kNoLimit; }
  double price() const { return price_; }
  // Sets the cost per unit of the spread beyond the limit.
  void SetPrice(double price) { price_ = price; }
  // Moves the band around the mean of the measures of `routes`.
  void CentreBand(std::span<const SearchRoute> routes);

  // Whether MeasureOf reads the value of nodes.
  bool needs_value() const {
    return balance_->measure == BalanceMeasure::kDuration ||
           balance_->measure == BalanceMeasure::kDistance;
  }
  // Returns the measure of a route that is not empty.
  double MeasureOf(const SearchRoute& route) const;
  // Returns that of `nodes`, ends included, whose value is known.
  double MeasureOf(std::span<const NodeIndex> nodes, const RouteValue& value) const;

  // Measures all of `routes` but those in the two slots (-1: none). The caller adds further routes,
  // then calls AddUnused.
  BalanceSums Measure(std::span<const SearchRoute> routes, int32_t without = -1,
                      int32_t also_without = -1) const;
  void Add(double measure, BalanceSums& sums) const {
    sums.meter.Add(measure);
    sums.outside += Outside(measure);
  }
  void AddUnused(BalanceSums& sums) const;
  // Returns the distance of a measure to the band.
  double Outside(double measure) const { return std::max({0.0, measure - high_, low_ - measure}); }
  double Excess(const BalanceSums& sums) const {
    const double excess = sums.meter.Excess(*balance_);
    return excess > 0 ? excess + sums.outside : 0;
  }
  double CostOf(const BalanceSums& sums) const {
    return balance_->cost * sums.meter.Spread() + price_ * Excess(sums);
  }

 private:
  double LoadOf(std::span<const NodeIndex> nodes) const;

  const Problem& problem_;
  const Balance* balance_ = nullptr;
  int64_t vehicles_ = 0;  // of the whole fleet, if unused ones count
  double price_ = 0;
  double low_ = -kNoLimit, high_ = kNoLimit;  // the band
};

// The term of a plan in which one route changes. Valid while the plan and the price stay as they
// are.
class BalanceOutlook {
 public:
  // O(slots).
  BalanceOutlook(const BalanceTerm& term, std::span<const SearchRoute> routes);

  // Returns what the term grows by if the route in that slot, or a new one (-1), has `measure`.
  double Added(int32_t slot, double measure) const;
  // Returns a bound on what a larger measure of that route, or a new one (-1), can save.
  double MostSaved(int32_t slot) const;
  // Returns a bound on what any changes of two routes can save.
  double MostSavedByTwo(int32_t slot, int32_t other) const;
  // The slot with the smallest measure; -1 without routes.
  int32_t smallest_slot() const { return smallest_[0].slot; }
  int32_t largest_slot() const { return largest_[0].slot; }

 private:
  struct Extreme {
    double measure = 0;
    int32_t slot = -1;
  };

  const BalanceTerm& term_;
  const std::span<const SearchRoute> routes_;
  Extreme smallest_[2], largest_[2];  // the two of each
  int64_t used_ = 0;
  double outside_ = 0;  // of the used routes
  double now_ = 0;
};

}  // namespace vrp
