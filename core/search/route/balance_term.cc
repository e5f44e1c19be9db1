#include "core/search/route/balance_term.h"

#include <algorithm>

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

SpreadMeter BalanceTerm::Measure(std::span<const SearchRoute> routes, int32_t without,
                                 int32_t also_without) const {
  SpreadMeter meter;
  for (int32_t slot = 0; slot < std::ssize(routes); ++slot) {
    if (slot == without || slot == also_without || routes[slot].empty()) continue;
    meter.Add(MeasureOf(routes[slot]));
  }
  return meter;
}

BalanceOutlook::BalanceOutlook(const BalanceTerm& term, std::span<const SearchRoute> routes)
    : term_(term) {
  const auto insert = [](Extreme own, Extreme* two, bool is_first, bool is_second) {
    if (is_first) {
      two[1] = two[0];
      two[0] = own;
    } else if (is_second) {
      two[1] = own;
    }
  };
  SpreadMeter meter;
  for (int32_t slot = 0; slot < std::ssize(routes); ++slot) {
    if (routes[slot].empty()) continue;
    const Extreme own = {.measure = term.MeasureOf(routes[slot]), .slot = slot};
    meter.Add(own.measure);
    ++routes_;
    insert(own, smallest_, routes_ == 1 || own.measure < smallest_[0].measure,
           routes_ == 2 || own.measure < smallest_[1].measure);
    insert(own, largest_, routes_ == 1 || own.measure > largest_[0].measure,
           routes_ == 2 || own.measure > largest_[1].measure);
  }
  term.AddUnused(meter);
  now_ = term.CostOf(meter);
}

double BalanceOutlook::Added(int32_t slot, double measure) const {
  SpreadMeter meter;
  // The extremes of the others stand for all of them; the count matters only for unused vehicles.
  const auto others = routes_ - (slot < 0 ? 0 : 1);
  if (others > 0) {
    const double smallest = smallest_[smallest_[0].slot == slot ? 1 : 0].measure;
    const double largest = largest_[largest_[0].slot == slot ? 1 : 0].measure;
    meter.AddRange(smallest, largest, others);
  }
  meter.Add(measure);
  term_.AddUnused(meter);
  return term_.CostOf(meter) - now_;
}

double BalanceOutlook::MostSaved(int32_t slot) const {
  // The smallest measure alone can move toward the others. A new route may end the use of a 0.
  if (slot >= 0 && slot != smallest_[0].slot) return 0;
  return now_;
}

}  // namespace vrp
