#include "core/search/route/balance_term.h"

#include <algorithm>
#include <cmath>

namespace vrp {

BalanceTerm::BalanceTerm(const Problem& problem) : problem_(problem) {
  const InstanceData& data = problem.instance().data();
  if (!data.balance.has_value()) return;
  balance_ = &*data.balance;
  vehicles_ = LimitedVehicles(problem.instance());
}

double BalanceTerm::MeasureOf(const SearchRoute& route) const {
  switch (balance_->measure) {
    case BalanceMeasure::kDuration:
      return route.duration;
    case BalanceMeasure::kDistance:
      return route.distance;
    case BalanceMeasure::kLoad:
      return problem_.plain_loads() ? route.load[0] : LoadOf(route.nodes);
    case BalanceMeasure::kStops:
      return route.stops;
  }
  return 0;
}

double BalanceTerm::MeasureOf(std::span<const NodeIndex> nodes, const RouteValue& value) const {
  switch (balance_->measure) {
    case BalanceMeasure::kDuration:
      return value.duration;
    case BalanceMeasure::kDistance:
      return value.distance;
    case BalanceMeasure::kLoad:
      return LoadOf(nodes);
    case BalanceMeasure::kStops:
      return static_cast<double>(
          std::ranges::count_if(nodes.subspan(1, nodes.size() - 2),
                                [&](NodeIndex node) { return !problem_.is_depot(node); }));
  }
  return 0;
}

double BalanceTerm::LoadOf(std::span<const NodeIndex> nodes) const {
  double load = 0;
  for (const NodeIndex node : nodes.subspan(1, nodes.size() - 2)) {
    load += problem_.delivered(node)[0] + problem_.collected(node)[0] +
            std::max(0.0, problem_.carried(node)[0]);
  }
  return load;
}

void BalanceTerm::CentreBand(std::span<const SearchRoute> routes) {
  double sum = 0;
  int64_t count = 0;
  for (const SearchRoute& route : routes) {
    if (route.empty()) continue;
    sum += MeasureOf(route);
    ++count;
  }
  if (balance_->all_vehicles) count = std::max(count, vehicles_);
  if (count == 0) return;
  const double mean = sum / static_cast<double>(count);
  low_ = mean - balance_->max_spread / 2;
  high_ = mean + balance_->max_spread / 2;
  if (balance_->measure == BalanceMeasure::kStops) {
    const double width = std::floor(balance_->max_spread);
    low_ = std::floor(mean - (width - 1) / 2);
    high_ = low_ + width;
  }
  if (low_ >= 0) return;
  low_ = 0;
  high_ = balance_->max_spread;
}

BalanceSums BalanceTerm::Measure(std::span<const SearchRoute> routes, int32_t without,
                                 int32_t also_without) const {
  BalanceSums sums;
  for (int32_t slot = 0; slot < std::ssize(routes); ++slot) {
    if (slot == without || slot == also_without || routes[slot].empty()) continue;
    Add(MeasureOf(routes[slot]), sums);
  }
  return sums;
}

void BalanceTerm::AddUnused(BalanceSums& sums) const {
  if (!balance_->all_vehicles || sums.meter.routes() >= vehicles_) return;
  sums.outside += Outside(0) * static_cast<double>(vehicles_ - sums.meter.routes());
  sums.meter.AddUnused(*balance_, vehicles_);
}

BalanceOutlook::BalanceOutlook(const BalanceTerm& term, std::span<const SearchRoute> routes)
    : term_(term), routes_(routes) {
  const auto insert = [](Extreme own, Extreme* two, bool is_first, bool is_second) {
    if (is_first) {
      two[1] = two[0];
      two[0] = own;
    } else if (is_second) {
      two[1] = own;
    }
  };
  BalanceSums sums;
  for (int32_t slot = 0; slot < std::ssize(routes); ++slot) {
    if (routes[slot].empty()) continue;
    const Extreme own = {.measure = term.MeasureOf(routes[slot]), .slot = slot};
    term.Add(own.measure, sums);
    ++used_;
    insert(own, smallest_, used_ == 1 || own.measure < smallest_[0].measure,
           used_ == 2 || own.measure < smallest_[1].measure);
    insert(own, largest_, used_ == 1 || own.measure > largest_[0].measure,
           used_ == 2 || own.measure > largest_[1].measure);
  }
  outside_ = sums.outside;
  term.AddUnused(sums);
  now_ = term.CostOf(sums);
}

double BalanceOutlook::Added(int32_t slot, double measure) const {
  BalanceSums sums{.outside = outside_};
  if (slot >= 0) sums.outside -= term_.Outside(term_.MeasureOf(routes_[slot]));
  // The extremes of the others stand for all of them.
  const int64_t others = used_ - (slot < 0 ? 0 : 1);
  if (others > 0) {
    sums.meter.AddRange(smallest_[smallest_[0].slot == slot ? 1 : 0].measure,
                        largest_[largest_[0].slot == slot ? 1 : 0].measure, others);
  }
  term_.Add(measure, sums);
  term_.AddUnused(sums);
  return term_.CostOf(sums) - now_;
}

double BalanceOutlook::MostSaved(int32_t slot) const {
  // A larger measure lowers the spread only where it was the smallest one, or an unused vehicle's.
  if (slot < 0 || slot == smallest_[0].slot) return now_;
  return term_.price() * term_.Outside(term_.MeasureOf(routes_[slot]));
}

double BalanceOutlook::MostSavedByTwo(int32_t slot, int32_t other) const {
  const auto is_extreme = [&](int32_t own) {
    return own < 0 || own == smallest_[0].slot || own == largest_[0].slot;
  };
  if (is_extreme(slot) || is_extreme(other)) return now_;
  return term_.price() * (term_.Outside(term_.MeasureOf(routes_[slot])) +
                          term_.Outside(term_.MeasureOf(routes_[other])));
}

}  // namespace vrp
