// Tests breaks with soft windows against an exhaustive simulation in unit time steps.
#include "core/problem/plan/late_breaks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"
#include "core/problem/plan/schedule.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

constexpr int kLastTime = 70;           // time units; bounds the simulation
constexpr int kInfeasible = 1'000'000;  // cost and end of infeasible routes

// The cost of lateness and the end of a route, compared lexicographically. Smaller is better.
using RouteCost = std::pair<int, int>;

// A simulator that finds the best RouteCost by trying every action at every integer time. The
// actions are to drive for a unit, wait, begin the next break, or begin service. The simulator does
// not assume that acting as soon as possible is best.
class SteppingVehicle {
 public:
  SteppingVehicle(const InstanceData& data, std::vector<NodeIndex> path)
      : data_(data), vehicle_(data.vehicles[0]), path_(std::move(path)) {}

  RouteCost BestCostFrom(int start) { return Drive(start, 1, Leg(1), 0); }

 private:
  int Leg(size_t stop) const {
    const size_t nodes = data_.ids.empty() ? data_.windows.size() : data_.ids.size();
    return static_cast<int>(data_.duration_matrix[path_[stop - 1] * nodes + path_[stop]]);
  }

  // Whether the break may begin at `now`, on the way to `stop`.
  bool MayRest(int now, size_t taken, size_t stop) const {
    const Break& pause = vehicle_.breaks[taken];
    double load = 0;
    for (size_t i = 1; i < path_.size(); ++i) {
      const auto node = static_cast<size_t>(path_[i]);
      load += i < stop ? data_.pickups[node] : data_.demands[node];
    }
    if (!pause.max_load.empty() && load > pause.max_load[0]) return false;
    const auto holds = [&](const TimeWindow& window) {
      return now >= window.open && now <= window.close;
    };
    return holds(pause.window) || std::ranges::any_of(pause.further_windows, holds);
  }

  // Returns the best cost of a vehicle on the way to `stop`, at distance `remaining` from it.
  RouteCost Drive(int now, size_t stop, int remaining, size_t taken) {
    if (now > kLastTime) return {kInfeasible, kInfeasible};
    const auto key = std::tuple(now, stop, remaining, taken);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    RouteCost best = Drive(now + 1, stop, remaining, taken);
    if (remaining > 0) best = std::min(best, Drive(now + 1, stop, remaining - 1, taken));
    if (taken < vehicle_.breaks.size() && MayRest(now, taken, stop)) {
      const int until = now + static_cast<int>(vehicle_.breaks[taken].duration);
      best = std::min(best, Drive(until, stop, remaining, taken + 1));
    }
    if (remaining == 0) best = std::min(best, Serve(now, stop, taken));
    return known_[key] = best;
  }

  RouteCost Serve(int now, size_t stop, size_t taken) {
    const auto node = static_cast<size_t>(path_[stop]);
    std::vector<TimeWindow> windows = {data_.windows[node]};
    if (!data_.further_windows.empty()) {
      const auto& further = data_.further_windows[node];
      windows.insert(windows.end(), further.begin(), further.end());
    }
    int late = 0;
    if (std::none_of(windows.begin(), windows.end(), [&](const TimeWindow& window) {
          return now >= window.open && now <= window.close;
        })) {
      if (!windows.back().soft() || now < windows.back().close) return {kInfeasible, kInfeasible};
      late = static_cast<int>(windows.back().late_cost * (now - windows.back().close));
    }
    const int departure = now + static_cast<int>(data_.services[node]);
    if (stop + 1 < path_.size()) {
      const RouteCost rest = Drive(departure, stop + 1, Leg(stop + 1), taken);
      return {rest.first + late, rest.second};
    }
    if (vehicle_.open_end) {
      const RouteCost rest = Stay(departure, taken);
      return {rest.first + late, rest.second};
    }
    const bool done = taken == vehicle_.breaks.size() && departure <= vehicle_.shift.close;
    return done ? RouteCost{late, departure} : RouteCost{kInfeasible, kInfeasible};
  }

  // Returns the best cost after the last service of an open route, with the remaining breaks.
  RouteCost Stay(int now, size_t taken) {
    if (now > kLastTime) return {kInfeasible, kInfeasible};
    if (taken == vehicle_.breaks.size()) {
      return now <= vehicle_.shift.close ? RouteCost{0, now} : RouteCost{kInfeasible, kInfeasible};
    }
    RouteCost best = Stay(now + 1, taken);
    if (MayRest(now, taken, path_.size())) {
      const int until = now + static_cast<int>(vehicle_.breaks[taken].duration);
      best = std::min(best, Stay(until, taken + 1));
    }
    return best;
  }

  const InstanceData& data_;
  const VehicleType& vehicle_;
  const std::vector<NodeIndex> path_;
  std::map<std::tuple<int, size_t, int, size_t>, RouteCost> known_;
};

class RandomDraws {
 public:
  explicit RandomDraws(uint64_t seed) : random_(seed, 11, 0) {}

  // Returns an instance with three customers and integer times, whose objective is the duration.
  InstanceData Data() {
    InstanceData data = AnInstance().At({{0, 0}, {1, 0}, {2, 0}, {3, 0}}).BuildData();
    data.kind = ProblemKind::kVrptw;
    data.objective = Objective::kDuration;
    data.windows = {{0, kLastTime}};
    data.further_windows = {{}};
    for (int i = 0; i < 3; ++i) AddWindows(data);
    data.services = {0, Number(0, 5), Number(0, 5), Number(0, 5)};
    for (int i = 0; i < 16; ++i) data.duration_matrix.push_back(i % 5 == 0 ? 0 : Number(0, 8));
    VehicleType& vehicle = data.vehicles[0];
    vehicle.shift = {Number(0, 10), Number(30, kLastTime)};
    vehicle.open_end = Number(0, 3) == 0;
    const auto breaks = static_cast<int>(Number(1, 3));
    for (int i = 0; i < breaks; ++i) {
      const double open = Number(0, 30);
      vehicle.breaks.push_back({{open, open + Number(0, 12)}, Number(0, 7)});
      AddBreakLimits(vehicle.breaks.back());
    }
    data.demands = {0, Number(0, 3), Number(0, 3), Number(0, 3)};
    data.pickups = {0, Number(0, 3), Number(0, 3), Number(0, 3)};
    if (Number(0, 3) == 0) MakeHard(data);
    return data;
  }

 private:
  double Number(int minimum, int maximum) {
    return static_cast<double>(random_.UniformInt(minimum, maximum));
  }

  void AddBreakLimits(Break& pause) {
    double close = pause.window.close;
    for (int more = Number(0, 1) == 0 ? 0 : static_cast<int>(Number(1, 2)); more > 0; --more) {
      const double open = close + 1 + Number(0, 6);
      close = open + Number(0, 3);
      pause.further_windows.push_back({open, close});
    }
    if (Number(0, 2) == 0) pause.max_load = {Number(0, 7)};
  }

  static void MakeHard(InstanceData& data) {
    for (TimeWindow& window : data.windows) window.late_cost = kNoLimit;
    for (auto& windows : data.further_windows) {
      for (TimeWindow& window : windows) window.late_cost = kNoLimit;
    }
  }

  void AddWindows(InstanceData& data) {
    const double open = Number(0, 25);
    data.windows.push_back({open, open + Number(0, 10)});
    auto& further = data.further_windows.emplace_back();
    TimeWindow* last = &data.windows.back();
    if (Number(0, 3) == 0) {
      const double next_open = last->close + 1 + Number(0, 8);
      further.push_back({next_open, next_open + Number(0, 10)});
      last = &further.back();
    }
    if (Number(0, 4) != 0) last->late_cost = Number(0, 3);
  }

  CounterRandom random_;
};

TEST(LateBreaksTest, MatchesTheExhaustiveSimulation) {
  int feasible = 0;
  int late = 0;
  int later_starts = 0;
  for (uint64_t seed = 0; seed < 1200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const InstanceData data = RandomDraws(seed).Data();
    const Instance instance = *Instance::Create(data);
    const VehicleType& vehicle = instance.vehicles()[0];
    const PlannedRoute route{0, {1, 2, 3}};
    std::vector<NodeIndex> path = {0, 1, 2, 3};
    if (!vehicle.open_end) path.push_back(0);
    SteppingVehicle stepping(data, path);
    const int earliest = static_cast<int>(vehicle.shift.open);
    const RouteCost best = stepping.BestCostFrom(earliest);

    const RouteSchedule schedule = RouteScheduler(instance).Make(route);
    ASSERT_EQ(schedule.feasible, best.second < kInfeasible);
    const CheckReport report = CheckPlan(instance, {route});
    ASSERT_EQ(RoutesAreFeasible(report), schedule.feasible);
    if (!schedule.feasible) continue;
    ++feasible;
    late += best.first > 0;
    EXPECT_NEAR(schedule.late_cost, best.first, 1e-6);
    EXPECT_NEAR(schedule.end, best.second, 1e-6);
    int latest = earliest;
    while (stepping.BestCostFrom(latest + 1) == best) ++latest;
    later_starts += latest > earliest && best.first > 0;
    EXPECT_NEAR(schedule.stops.front().departure, latest, 1e-6);
    EXPECT_NEAR(report.routes[0].late_cost, best.first, 1e-6);
    EXPECT_NEAR(report.routes[0].duration, best.second - latest, 1e-6);
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(late, 40);
  EXPECT_GT(later_starts, 10);
}

// Returns an instance with customers 1 and 2 at 10 and 20 on a line, which are open until 900. The
// depot at 0 is open until 1000.
InstanceData TwoOnALine() {
  return AnInstance()
      .At({{0, 0}, {10, 0}, {20, 0}})
      .Windows({{0, 900}, {0, 900}}, 1000)
      .BuildData();
}

RouteSchedule ScheduleBoth(const InstanceData& data) {
  return RouteScheduler(*Instance::Create(data)).Make({0, {1, 2}});
}

TEST(LateBreaksTest, PlacesABreakAfterTheCustomerWithTheCostliestLateness) {
  InstanceData data = TwoOnALine();
  data.windows[1] = {0, 10, 5};
  data.windows[2] = {0, 20, 1};
  data.vehicles[0].breaks = {{{0, 300}, 30}};
  EXPECT_EQ(ScheduleBoth(data).breaks[0].after, 2);
  EXPECT_EQ(ScheduleBoth(data).late_cost, 0);
  data.vehicles[0].breaks = {{{0, 15}, 30}};
  EXPECT_EQ(ScheduleBoth(data).breaks[0].after, 1);
  EXPECT_EQ(ScheduleBoth(data).late_cost, 30);
}

TEST(LateBreaksTest, PrefersLessLatenessToAnEarlierEnd) {
  InstanceData data = TwoOnALine();
  // If customer 1 comes before the break, its service waits until 20. If the break comes first, it
  // ends at 30 and the route is back ten units earlier.
  data.windows[1] = {20, 21, 1};
  data.vehicles[0].breaks = {{{10, 60}, 20}};
  const RouteSchedule schedule = ScheduleBoth(data);
  EXPECT_EQ(schedule.late_cost, 0);
  EXPECT_EQ(schedule.stops[1].start, 20);
  EXPECT_EQ(schedule.stops.back().start, 70);
  data.windows[1].late_cost = 0;
  EXPECT_EQ(ScheduleBoth(data).stops.back().start, 60);
}

// Returns an instance whose windows open one unit after the vehicle arrives and are soft from then
// on. A break before a customer gives a non-dominated label: earlier back but more expensive than a
// break after the customer.
InstanceData OneLabelPerCustomer(int customers, int breaks, double breaks_until) {
  const size_t nodes = static_cast<size_t>(customers) + 1;
  std::vector<Position> positions(nodes);
  for (size_t i = 1; i < nodes; ++i) positions[i].x = static_cast<double>(i);
  InstanceData data = AnInstance().Capacity(customers).At(positions).BuildData();
  const double horizon = 100 * customers;
  data.kind = ProblemKind::kVrptw;
  data.windows = {{0, horizon}};
  for (int i = 1; i <= customers; ++i) data.windows.push_back({11.0 * i, 11.0 * i, 1});
  data.services.assign(nodes, 0);
  data.duration_matrix.assign(nodes * nodes, 10);
  for (size_t i = 0; i < nodes; ++i) data.duration_matrix[i * (nodes + 1)] = 0;
  data.vehicles[0].shift = {0, horizon};
  for (int i = 0; i < breaks; ++i) {
    data.vehicles[0].breaks.push_back({{0, breaks_until}, 2.0 * customers});
  }
  return data;
}

struct ScheduledAndChecked {
  RouteSchedule schedule;
  CheckReport report;
};

// Schedules and checks the route through all customers in index order.
ScheduledAndChecked ScheduleAndCheck(const InstanceData& data) {
  const Instance instance = *Instance::Create(data);
  PlannedRoute route;
  for (NodeIndex i = 1; i < instance.num_nodes(); ++i) route.customers.push_back(i);
  return {RouteScheduler(instance).Make(route), CheckPlan(instance, {route})};
}

TEST(LateBreaksTest, TriesAHundredLabels) {
  const ScheduledAndChecked result = ScheduleAndCheck(OneLabelPerCustomer(100, 2, 800));
  EXPECT_TRUE(result.schedule.feasible);
  EXPECT_TRUE(result.report.feasible);
  EXPECT_GT(result.schedule.late_cost, 0);
  EXPECT_NEAR(result.report.routes[0].late_cost, result.schedule.late_cost, 1e-3);
}

TEST(LateBreaksTest, TreatsARouteWithTooManyLabelsAsInfeasible) {
  // Extending all labels of this route would take a quarter of an hour.
  const ScheduledAndChecked result = ScheduleAndCheck(OneLabelPerCustomer(1000, 16, 1e5));
  EXPECT_FALSE(result.schedule.feasible);
  EXPECT_TRUE(result.schedule.breaks.empty());
  ASSERT_EQ(result.report.violations.size(), 1u);
  EXPECT_EQ(result.report.violations[0].kind, ViolationKind::kBreak);
  EXPECT_EQ(
      result.report.violations[0].message,
      "routes[0]: has 16 breaks with too many possible positions to check among stops with soft "
      "windows");
}

TEST(LateBreaksTest, ReturnsNoOutcomeBeyondItsWorkLimit) {
  const InstanceData data = OneLabelPerCustomer(40, 2, 300);
  std::vector<TimedStop> stops(1, {.first = data.windows[0]});
  for (size_t i = 1; i < data.windows.size(); ++i) {
    stops.push_back({.travel = 10, .first = data.windows[i]});
  }
  LateBreaks::Route route = {.stops = stops, .breaks = data.vehicles[0].breaks, .last_by = 1e4};
  LateBreaks late_breaks;
  route.most_work = LateBreaks::MaxWork(stops.size(), route.breaks.size());
  const auto outcome = late_breaks.Run(route, 0);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(late_breaks.LatestStart().has_value());
  route.most_work = 100;
  EXPECT_FALSE(late_breaks.Run(route, 0).has_value());
}

}  // namespace
}  // namespace vrp
