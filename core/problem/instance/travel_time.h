// The travel time of a leg by the time of departure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace vrp {

// A travel time, either constant or linear between given times of departure, and constant before
// the first and after the last. Who leaves later never arrives earlier (Ichoua, Gendreau and Potvin
// 2003), so the arrival has an inverse. Refers to its times and values, which must outlive it.
//
// The functions with a `period` look for the times around a departure from there on, and store the
// place where they find them. Any value is valid. The legs of a route pass it on.
class TravelTime {
 public:
  TravelTime(double constant = 0) : constant_(constant) {}  // NOLINT(google-explicit-constructor)
  // `at` increases; `values` has a travel time for each.
  TravelTime(std::span<const double> at, const double* values) : at_(at), values_(values) {}

  // Returns the times of departure at which the travel time is given; none if it is constant.
  std::span<const double> times() const { return at_; }

  // Returns the travel time of who leaves at `departure`.
  double From(double departure) const {
    size_t period = 0;
    return From(departure, period);
  }
  double From(double departure, size_t& period) const {
    if (at_.empty()) return constant_;
    size_t k = std::min(period, at_.size());  // the number of times up to the departure
    while (k < at_.size() && at_[k] <= departure) ++k;
    while (k > 0 && at_[k - 1] > departure) --k;
    period = k;
    if (k == 0) return values_[0];
    if (k == at_.size()) return values_[k - 1];
    const double share = (departure - at_[k - 1]) / (at_[k] - at_[k - 1]);
    return values_[k - 1] + share * (values_[k] - values_[k - 1]);
  }

  // Returns the latest departure that arrives by `arrival` although it pauses for `pause` on the
  // way.
  double LatestDeparture(double arrival, double pause = 0) const {
    if (at_.empty()) return arrival - constant_ - pause;
    size_t period = 0;
    return LatestDeparture(arrival - pause, period);
  }
  // Likewise without a pause, for a travel time that is not constant.
  double LatestDeparture(double arrival, size_t& period) const {
    // The arrival may be the same for all departures of a period. Rounding must then not exclude
    // the last of these departures.
    const double bound = arrival + kRounding * std::abs(arrival);
    size_t k = std::min(period, at_.size());  // the number of times that arrive by then
    while (k < at_.size() && at_[k] + values_[k] <= bound) ++k;
    while (k > 0 && at_[k - 1] + values_[k - 1] > bound) --k;
    period = k;
    if (k == 0) return arrival - values_[0];
    if (k == at_.size()) return std::max(at_[k - 1], arrival - values_[k - 1]);
    if (values_[k] == values_[k - 1]) return std::max(at_[k - 1], arrival - values_[k]);
    const double first = at_[k - 1] + values_[k - 1];
    const double share = std::max(0.0, arrival - first) / (at_[k] + values_[k] - first);
    return at_[k - 1] + share * (at_[k] - at_[k - 1]);
  }

 private:
  static constexpr double kRounding = 1e-12;  // relative, of sums of times

  std::span<const double> at_ = {};
  const double* values_ = nullptr;
  double constant_ = 0;
};

}  // namespace vrp
