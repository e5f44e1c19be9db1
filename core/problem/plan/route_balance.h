// Measures the balance between the routes of a plan (core/problem/instance/balance.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

struct RouteFigures;

// Collects the measures of routes.
class SpreadMeter {
 public:
  void Add(double measure) {
    smallest_ = measure < smallest_ ? measure : smallest_;
    largest_ = measure > largest_ ? measure : largest_;
    ++routes_;
  }
  // Adds so many routes with measures from `smallest` to `largest`, both of which occur.
  void AddRange(double smallest, double largest, int64_t routes) {
    Add(smallest);
    Add(largest);
    routes_ += routes - 2;
  }
  // Adds the unused ones of so many vehicles, if the balance counts them.
  void AddUnused(const Balance& balance, int64_t vehicles) {
    if (balance.all_vehicles && routes_ < vehicles) Add(0);
  }
  int64_t routes() const { return routes_; }
  // Returns the largest measure minus the smallest one; 0 for fewer than two.
  double Spread() const { return routes_ < 2 ? 0 : largest_ - smallest_; }
  // Returns the spread beyond the limit; 0 if the limit is kept, apart from rounding.
  double Excess(const Balance& balance) const;

 private:
  double smallest_ = kNoLimit;
  double largest_ = -kNoLimit;
  int64_t routes_ = 0;
};

// Returns the number of vehicles of all types together; unlimited types count as 0.
int64_t LimitedVehicles(const Instance& instance);

// Measures the spread of `plan`, whose instance has a balance. `figures` has one entry for each
// non-empty route, in order.
SpreadMeter MeasureSpread(const Instance& instance, const Plan& plan,
                          const std::vector<RouteFigures>& figures);

}  // namespace vrp
