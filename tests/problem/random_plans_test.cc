// Tests that the checker agrees with MakeSolution and PlanValue on random plans: on times, loads,
// costs and feasibility. The checker shares no code with the other two.
#include <algorithm>
#include <map>
#include <set>

#include "core/problem/checker/checker.h"
#include "core/problem/instance/features.h"
#include "core/problem/plan/solution.h"
#include "gtest/gtest.h"
#include "tests/testing/constrained_instance.h"

namespace vrp {
namespace {

using test::RandomConstrainedInstance;
using test::RandomConstrainedPlan;

constexpr uint64_t kSeeds = 5000;

bool HasViolation(const CheckReport& report, int32_t route, const std::set<ViolationKind>& kinds) {
  return std::any_of(report.violations.begin(), report.violations.end(), [&](const Violation& v) {
    return v.route == route && kinds.contains(v.kind);
  });
}

double CapacityOf(const VehicleType& vehicle, size_t k) {
  if (k == 0) return vehicle.capacity;
  return k <= vehicle.further_capacities.size() ? vehicle.further_capacities[k - 1] : kNoLimit;
}

bool IsOverloaded(const VehicleType& vehicle, const Route& route) {
  for (const Stop& stop : route.stops) {
    for (size_t k = 0; k < stop.load.size(); ++k) {
      if (stop.load[k] > CapacityOf(vehicle, k) + 1e-6) return true;
    }
  }
  return false;
}

// Expects consistent times of the stops and breaks of a feasible route.
void ExpectConsistentTimes(const Instance& instance, const VehicleType& vehicle,
                           const Route& route) {
  for (size_t i = 0; i < route.stops.size(); ++i) {
    const Stop& stop = route.stops[i];
    EXPECT_LE(stop.arrival, stop.start + 1e-9);
    EXPECT_LE(stop.start, stop.departure);
    if (i == 0) continue;
    const Stop& from = route.stops[i - 1];
    double paused = 0;  // break time on the leg or before the stop's service
    double before_arrival = 0;
    for (const BreakTime& pause : route.breaks) {
      if (pause.after + 1 != static_cast<int32_t>(i)) continue;
      if (pause.index == kDrivingBreakIndex) continue;
      EXPECT_GE(pause.start, from.departure - 1e-9);
      EXPECT_LE(pause.end, stop.start + 1e-9);
      paused += pause.end - pause.start;
      if (pause.end <= stop.arrival + 1e-9) before_arrival += pause.end - pause.start;
    }
    const double travel = instance.Duration(vehicle, from.node, stop.node, from.departure);
    EXPECT_GE(stop.arrival, from.departure + travel + before_arrival - 1e-6);
    EXPECT_GE(stop.start, from.departure + travel + paused - 1e-6);
  }
  size_t b = 0;
  for (const BreakTime& taken : route.breaks) {
    if (taken.index == kDrivingBreakIndex) continue;
    ASSERT_LT(b, vehicle.breaks.size());
    EXPECT_EQ(taken.index, static_cast<int32_t>(b));
    const Break& pause = vehicle.breaks[b];
    std::vector<TimeWindow> windows = {pause.window};
    windows.insert(windows.end(), pause.further_windows.begin(), pause.further_windows.end());
    EXPECT_TRUE(std::ranges::any_of(windows, [&](const TimeWindow& window) {
      return taken.start >= window.open && taken.start <= window.close + 1e-3;
    })) << taken.start;
    const std::vector<double>& load = route.stops[taken.after].load;
    for (size_t k = 0; k < pause.max_load.size(); ++k) {
      EXPECT_LE(load[k], pause.max_load[k] + 1e-6);
    }
    ++b;
  }
  EXPECT_EQ(b, vehicle.breaks.size());
}

// Returns the time between arrivals and starts, and before breaks after the last stop, without the
// breaks themselves.
double WaitingOf(const Route& route) {
  double waiting = 0;
  for (size_t i = 1; i < route.stops.size(); ++i) {
    waiting += route.stops[i].start - route.stops[i].arrival;
  }
  double end = route.stops.back().departure;
  for (const BreakTime& pause : route.breaks) {
    const auto next = static_cast<size_t>(pause.after) + 1;
    if (next == route.stops.size()) {
      waiting += pause.start - end;
      end = pause.end;
    } else if (pause.end > route.stops[next].arrival) {
      waiting -= pause.end - pause.start;
    }
  }
  return waiting;
}

// Returns the time that the vehicle stands without work, beyond its planned breaks or those that
// its driving needs, if that takes longer.
double WaitingBesideDriving(const Instance& instance, const PlannedRoute& route,
                            const RouteSchedule& schedule) {
  const VehicleType& vehicle = VehicleOf(instance, route);
  const DrivingRules& rules = vehicle.driving_rules;
  const double driving = RouteDriving(instance, route, schedule.stops);
  double planned = 0;
  if (schedule.feasible) {
    for (const Break& pause : vehicle.breaks) planned += pause.duration;
  }
  double needed = 0;
  for (double left = driving; left > rules.max_driving_before_break + 1e-9;) {
    left -= rules.max_driving_before_break;
    if (schedule.feasible) needed += rules.break_duration;
  }
  return schedule.duration() - driving - RouteWork(instance, route) - std::max(planned, needed);
}

struct Tally {
  std::map<ViolationKind, int> violations;
  std::set<Feature> features;
  int breaks = 0;
  int late_starts = 0;
  int feasible_routes = 0;
};

void CompareRoute(const Instance& instance, const Plan& plan, const CheckReport& report, size_t r,
                  Tally& tally) {
  const VehicleType& vehicle = VehicleOf(instance, plan[r]);
  const Solution alone = *MakeSolution(instance, {plan[r]});
  const Route& route = alone.routes[0];
  const RouteScheduler scheduler(instance);
  const RouteSchedule schedule = scheduler.Make(plan[r]);
  const int32_t index = static_cast<int32_t>(r);
  EXPECT_EQ(schedule.feasible,
            !HasViolation(report, index,
                          {ViolationKind::kTimeWindow, ViolationKind::kShift, ViolationKind::kBreak,
                           ViolationKind::kDrivingBreak}));
  EXPECT_EQ(IsOverloaded(vehicle, route), HasViolation(report, index, {ViolationKind::kCapacity}));
  EXPECT_NEAR(report.routes[r].distance, RouteDistance(instance, plan[r]), 1e-9);
  EXPECT_NEAR(report.routes[r].late_cost, schedule.late_cost, 1e-5);
  if (scheduler.NeedsDuration(vehicle)) {
    // The scheduler's rounding errors, each 1e-9 of the span of the windows, may add up.
    EXPECT_NEAR(report.routes[r].duration, route.duration, 1e-5);
    const double limit = vehicle.max_duration + vehicle.max_overtime;
    EXPECT_EQ(route.duration > limit + 1e-3,
              HasViolation(report, index, {ViolationKind::kDuration}));
    const double waiting = vehicle.driving_rules.has_breaks()
                               ? WaitingBesideDriving(instance, plan[r], schedule)
                               : WaitingOf(route);
    EXPECT_EQ(waiting > vehicle.max_waiting + 1e-3,
              HasViolation(report, index, {ViolationKind::kMaxWaiting}));
  }
  if (!schedule.feasible) return;
  ++tally.feasible_routes;
  tally.breaks += static_cast<int>(schedule.breaks.size());
  tally.late_starts += schedule.late_cost > 0 ? 1 : 0;
  ExpectConsistentTimes(instance, vehicle, route);
}

void Compare(uint64_t seed, Tally& tally) {
  SCOPED_TRACE(seed);
  InstanceData data = test::RandomConstrainedData(seed, 2 + static_cast<int32_t>(seed % 9));
  if (seed % 4 == 0) data.balance = test::RandomBalance(seed);
  const Instance instance = *Instance::Create(data);
  const Plan plan = RandomConstrainedPlan(instance, seed);
  const Solution solution = *MakeSolution(instance, plan);
  const CheckReport report = CheckPlan(instance, plan, solution.cost);
  const PlanValue value = ValueOf(instance, plan);
  const double tolerance = 1e-7 * std::max(1.0, std::abs(report.cost));
  EXPECT_NEAR(report.cost, solution.cost, tolerance);
  EXPECT_NEAR(value.cost, solution.cost, tolerance);
  EXPECT_NEAR(solution.split.total(), solution.cost, tolerance);
  EXPECT_EQ(PlanCost(instance, plan), value.cost);
  EXPECT_EQ(report.left_out, value.left_out);
  EXPECT_EQ(report.left_out > 0, HasViolation(report, -1, {ViolationKind::kMissingCustomer}));
  EXPECT_EQ(SpreadOf(instance, plan), solution.spread.value_or(0));
  EXPECT_EQ(KeepsSpread(instance, plan), !HasViolation(report, -1, {ViolationKind::kBalance}));
  for (const FeatureUse& use : FeaturesOf(instance)) tally.features.insert(use.feature);
  for (const Violation& violation : report.violations) ++tally.violations[violation.kind];
  for (size_t r = 0; r < plan.size(); ++r) CompareRoute(instance, plan, report, r, tally);
}

TEST(RandomPlansTest, GetTheSameValuesFromCheckerAndSolution) {
  Tally tally;
  for (uint64_t seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    Compare(seed, tally);
  }
  // All up to kInOrder, kBalance and all from kCustomerTimes on.
  EXPECT_EQ(tally.features.size(), static_cast<size_t>(Feature::kInOrder) + 8);
  EXPECT_GT(tally.feasible_routes, 1000);
  EXPECT_GT(tally.breaks, 200);
  EXPECT_GT(tally.late_starts, 100);
  for (const ViolationKind kind : {ViolationKind::kMissingCustomer, ViolationKind::kCapacity,
                                   ViolationKind::kTimeWindow,      ViolationKind::kDuration,
                                   ViolationKind::kDistance,        ViolationKind::kBackhaulOrder,
                                   ViolationKind::kFleetSize,       ViolationKind::kSkill,
                                   ViolationKind::kMaxStops,        ViolationKind::kMaxWaiting,
                                   ViolationKind::kShift,           ViolationKind::kReload,
                                   ViolationKind::kShipment,        ViolationKind::kAlternatives,
                                   ViolationKind::kBreak,           ViolationKind::kCompartments,
                                   ViolationKind::kBalance,         ViolationKind::kDrivingBreak,
                                   ViolationKind::kMaxDriving,      ViolationKind::kMaxWork}) {
    EXPECT_GT(tally.violations[kind], 10) << ViolationName(kind);
  }
  EXPECT_GT(tally.violations[ViolationKind::kLifo], 0);
  EXPECT_EQ(tally.violations[ViolationKind::kCostMismatch], 0);
}

// Delays the start to times on a grid. No delayed start costs less for lateness. With the same cost
// of lateness, none ends earlier, and with the same end too, none takes less time.
TEST(RandomPlansTest, HaveNoStartThatEndsEarlierOrTakesLessTime) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 600 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    InstanceData data = test::RandomConstrainedData(seed, 5);
    for (VehicleType& vehicle : data.vehicles) vehicle.max_duration = 10'000;
    const Instance free = *Instance::Create(data);
    const Plan plan = RandomConstrainedPlan(free, seed);
    if (plan.empty()) continue;
    // A later start may avoid a rush hour and then a break.
    const VehicleType& type = VehicleOf(free, plan[0]);
    if (type.driving_rules.has_breaks() && NeedsTimedDriving(data, type)) continue;
    const RouteSchedule best = RouteScheduler(free).Make(plan[0]);
    if (!best.feasible) continue;
    for (double open = 0; open < 300; open += 7.5) {
      InstanceData later = data;
      VehicleType& vehicle = later.vehicles[static_cast<size_t>(plan[0].vehicle_type)];
      vehicle.shift.open = std::max(vehicle.shift.open, open);
      if (vehicle.shift.open > vehicle.shift.close) break;
      const Instance delayed = *Instance::Create(later);
      const RouteSchedule schedule = RouteScheduler(delayed).Make(plan[0]);
      if (!schedule.feasible) continue;
      EXPECT_GE(schedule.late_cost, best.late_cost - 1e-6);
      if (schedule.late_cost > best.late_cost + 1e-9) continue;
      EXPECT_GE(schedule.end, best.end - 1e-6);
      if (schedule.end > best.end + 1e-6) break;
      EXPECT_GE(schedule.duration(), best.duration() - 1e-6);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace vrp
