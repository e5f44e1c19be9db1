// What the spread between routes (core/problem/instance/balance.h) adds to a plan's cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/plan/route_balance.h"
#include "core/search/model/route_evaluator.h"
#include "core/search/route/search_route.h"

namespace vrp {

// The term of one problem: the cost of the spread, and a price for each unit beyond the limit. Not
// thread-safe.
class BalanceTerm {
 public:
  explicit BalanceTerm(const Problem& problem);

  // Whether the instance has a balance; all else may only be called then.
  bool active() const { return balance_ != nullptr; }
  bool limited() const { return balance_->max_spread != kNoLimit; }
  double price() const { return price_; }
  // Sets the cost per unit of the spread beyond the limit.
  void SetPrice(double price) { price_ = price; }

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
  SpreadMeter Measure(std::span<const SearchRoute> routes, int32_t without = -1,
                      int32_t also_without = -1) const;
  void AddUnused(SpreadMeter& meter) const { meter.AddUnused(*balance_, vehicles_); }
  double Excess(const SpreadMeter& meter) const { return meter.Excess(*balance_); }
  double CostOf(const SpreadMeter& meter) const {
    return balance_->cost * meter.Spread() + price_ * meter.Excess(*balance_);
  }

 private:
  double LoadOf(std::span<const NodeIndex> nodes) const;

  const Problem& problem_;
  const Balance* balance_ = nullptr;
  int64_t vehicles_ = 0;  // of the whole fleet, if unused ones count
  double price_ = 0;
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
  // The slot with the smallest measure; -1 without routes.
  int32_t smallest_slot() const { return smallest_[0].slot; }
  int32_t largest_slot() const { return largest_[0].slot; }

 private:
  struct Extreme {
    double measure = 0;
    int32_t slot = -1;
  };

  const BalanceTerm& term_;
  Extreme smallest_[2], largest_[2];  // the two of each
  int64_t routes_ = 0;
  double now_ = 0;
};

}  // namespace vrp
