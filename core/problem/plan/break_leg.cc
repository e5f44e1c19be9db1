#include "core/problem/plan/break_leg.h"

#include <cmath>
#include <cstddef>

namespace vrp {
namespace {

// Halves an interval until its ends are neighbouring numbers.
constexpr int kMostHalvings = 100;
// Relative rounding of sums of times, as in TravelTime::LatestDeparture.
constexpr double kArrivalRounding = 1e-12;

// Returns the departure by going back from the last break to the first, each as late as possible.
// Driving fills the gaps. Returns -kNoLimit if there is none.
double DepartureByTravel(std::span<const Break> breaks, double arrival, double travel,
                         double rounding) {
  for (size_t i = breaks.size(); i-- > 0;) {
    const double latest = arrival - breaks[i].duration;
    const double begin = WindowsOf(breaks[i]).LatestIn(latest, rounding);
    if (begin == -kNoLimit) return -kNoLimit;
    travel -= std::clamp(latest - begin, 0.0, travel);
    arrival = begin;
  }
  return arrival - travel;
}

// Returns the departure by bisection, since later departures never arrive earlier. The bisection
// uses up all the delay that it may, so it may arrive only kArrivalRounding late. A delay by
// `rounding` at several late stops would cost more than LateBreaks counts as equal.
double DepartureByArrival(std::span<const Break> breaks, double arrival, const TravelTime& travel,
                          double rounding) {
  const double bound = arrival + kArrivalRounding * std::abs(arrival);
  const auto is_early = [&](double leave) {
    return ArrivalAfter(breaks, leave, travel.From(leave), rounding) <= bound;
  };
  const std::span<const double> times = travel.times();
  const double first = DepartureByTravel(breaks, arrival, travel.From(times.front()), rounding);
  if (first <= times.front() || !is_early(times.front())) return std::min(first, times.front());
  const double last = DepartureByTravel(breaks, arrival, travel.From(times.back()), rounding);
  if (is_early(times.back())) return std::max(last, times.back());
  double early = times.front();
  double late = times.back();
  for (int i = 0; i < kMostHalvings; ++i) {
    const double middle = early + (late - early) / 2;
    if (middle <= early || middle >= late) break;
    (is_early(middle) ? early : late) = middle;
  }
  return early;
}

}  // namespace

double LaterBreakStart(const Break& pause, double time, double slack) {
  return WindowsOf(pause).StartAt(time, slack);
}

double DepartureBefore(std::span<const Break> breaks, double arrival, const TravelTime& travel,
                       double rounding) {
  if (!HasFurtherWindows(breaks)) {
    double paused = 0;
    double bound = kNoLimit;
    for (const Break& pause : breaks) {
      bound = std::min(bound, pause.window.close - paused);
      paused += pause.duration;
    }
    return std::min(bound, travel.LatestDeparture(arrival, paused));
  }
  if (travel.times().empty()) return DepartureByTravel(breaks, arrival, travel.From(0), rounding);
  return DepartureByArrival(breaks, arrival, travel, rounding);
}

}  // namespace vrp
