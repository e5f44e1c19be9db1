// Draws routes with breaks after driving, whose times are integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/problem/plan/driving_labels.h"

namespace vrp::test {

inline constexpr int kLastStep = 60;  // bounds the simulation

// A route whose times are integers. So are the travel times of departures at integers.
struct RandomRoute {
  std::vector<TimedStop> stops = {};
  std::vector<double> departures = {};                 // of travel_times
  std::vector<std::vector<double>> travel_times = {};  // by stop; empty: the same at all times
  std::vector<std::vector<TimeWindow>> further = {};
  VehicleType vehicle = {};
};

// A source of random routes.
class RouteDraws {
 public:
  explicit RouteDraws(uint64_t seed) : random_(seed, 12, 0) {}

  // Returns a route with the same travel times at all times.
  RandomRoute Route() {
    RandomRoute route;
    const int stops = Between(2, 5);
    route.further.resize(static_cast<size_t>(stops));
    for (int i = 0; i < stops; ++i) {
      TimedStop& stop = route.stops.emplace_back();
      if (i == 0) {
        stop.first.close = Between(0, 12);
        continue;
      }
      stop.travel = Between(0, 9);
      if (i + 1 < stops) stop.work = Between(0, 2);
      AddWindows(stop, route.further[static_cast<size_t>(i)]);
    }
    DrivingRules& rules = route.vehicle.driving_rules;
    rules.max_driving_before_break = Between(3, 7);
    rules.break_duration = Between(1, 5);
    const auto whole = static_cast<int>(rules.break_duration);
    if (Chance(0.7)) {
      rules.first_part = Between(1, whole);
      rules.second_part = Between(std::max(1, whole - static_cast<int>(rules.first_part)), whole);
    }
    for (int i = Chance(0.5) ? 0 : Between(1, 3); i > 0; --i) {
      const int open = Between(0, 25);
      route.vehicle.breaks.push_back(
          {{static_cast<double>(open), static_cast<double>(open + Between(0, 9))},
           static_cast<double>(Between(0, 4))});
    }
    route.vehicle.shift.close = Between(15, kLastStep - 15);
    return route;
  }

  // Returns a route whose planned breaks have several windows and are not allowed on all legs.
  RandomRoute RouteWithBreakLimits() {
    RandomRoute route = Route();
    for (Break& pause : route.vehicle.breaks) {
      double close = pause.window.close;
      for (int i = Between(0, 2); i > 0; --i) {
        const double open = close + Between(1, 8);
        close = open + Between(0, 5);
        pause.further_windows.push_back({open, close});
      }
    }
    for (TimedStop& stop : route.stops) {
      for (int i = 0; i < 3; ++i) {
        if (Chance(0.25)) stop.breaks_before &= ~(uint32_t{1} << i);
      }
    }
    return route;
  }

  // Makes travel times depend on the departure.
  void AddRushHours(RandomRoute& route) {
    int at = Between(0, 10);
    for (int i = Between(2, 4); i > 0; --i) {
      route.departures.push_back(at);
      at += Between(1, 10);
    }
    route.travel_times.resize(route.stops.size());
    for (size_t i = 1; i < route.stops.size(); ++i) {
      double travel = Between(0, 9);
      for (size_t k = 0; k < route.departures.size(); ++k) {
        if (k > 0) {
          const double gap = route.departures[k] - route.departures[k - 1];
          const double next = travel + gap * Between(-1, 1);
          if (next >= 0 && next <= 15) travel = next;
        }
        route.travel_times[i].push_back(travel);
      }
      route.stops[i].travel = {route.departures, route.travel_times[i].data()};
    }
  }

 private:
  bool Chance(double chance) { return random_.UniformDouble() < chance; }
  int Between(int low, int high) { return static_cast<int>(random_.UniformInt(low, high)); }

  void AddWindows(TimedStop& stop, std::vector<TimeWindow>& further) {
    if (Chance(0.4)) return;
    stop.first.open = Between(0, 25);
    stop.first.close = stop.first.open + Between(0, 10);
    TimeWindow* last = &stop.first;
    if (Chance(0.3)) {
      const double open = stop.first.close + Between(1, 6);
      further.push_back({open, open + Between(0, 6)});
      last = &further.back();
    }
    if (Chance(0.3)) last->late_cost = Between(1, 3);
    stop.further = further;
  }

  CounterRandom random_;
};

}  // namespace vrp::test
