#include "tests/testing/constrained_instance.h"

#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/random.h"
#include "tests/testing/rule_draws.h"
#include "tests/testing/timed_matrices.h"

namespace vrp::test {
namespace {

constexpr double kConstrainedHorizon = 400;  // end of the depots' and of default windows
constexpr double kConstrainedArea = 60;      // side of the square of locations

class ConstrainedGenerator {
 public:
  ConstrainedGenerator(uint64_t seed, int32_t customers)
      : random_(seed, 7, 0),
        rules_random_(seed, 9, 0),
        driving_random_(seed, 13, 0),
        later_random_(seed, 15, 0),
        customers_(customers) {}

  InstanceData Generate() && {
    data_.name = "constrained";
    data_.kind = ProblemKind::kVrptw;
    data_.num_depots = RandomInt(1, 2);
    nodes_ = static_cast<size_t>(data_.num_depots + customers_);
    data_.objective = static_cast<Objective>(RandomInt(0, 3));
    data_.metric = Chance(0.3) ? Metric::kRounded : Metric::kExact;
    data_.speed = Chance(0.3) ? 2 : 1;
    data_.load_dimensions = Chance(0.3) ? 2 : 1;
    for (size_t i = 0; i < nodes_; ++i)
      data_.positions.push_back({RandomReal(kConstrainedArea), RandomReal(kConstrainedArea)});
    if (Chance(0.2)) data_.positions.back() = data_.positions[nodes_ - 2];
    const bool breaks = Chance(0.3);
    DrawLoads();
    DrawWindows(Chance(0.5));
    DrawTimes();
    const bool shipments = Chance(0.3);
    DrawVehicles(breaks, Chance(0.4));
    DrawRequiredSkills();
    DrawPrizesAndPriorities();
    DrawRequests(shipments);
    if (Chance(0.3)) DrawTimesOfDay();
    for (VehicleType& vehicle : data_.vehicles) DrawDrivingRules(vehicle);
    DrawRules();
    DrawLoadingAndTravelCosts();
    if (later_random_.UniformDouble() < 0.3) DrawLengths();
    return std::move(data_);
  }

 private:
  bool Chance(double chance) { return random_.UniformDouble() < chance; }
  int32_t RandomInt(int32_t min, int32_t max) {
    return static_cast<int32_t>(random_.UniformInt(min, max));
  }
  double RandomReal(double max) { return random_.UniformDouble() * max; }
  bool IsDepot(size_t node) const { return node < static_cast<size_t>(data_.num_depots); }

  // Returns `columns` values per node. A customer's is, with probability `chance`, a random integer
  // below `max`. All others are 0.
  std::vector<double> Values(double chance, double max, size_t columns = 1) {
    std::vector<double> values(nodes_ * columns, 0);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!IsDepot(i / columns) && Chance(chance)) values[i] = std::floor(RandomReal(max));
    }
    return values;
  }

  void DrawLoads() {
    const size_t columns = static_cast<size_t>(data_.load_dimensions);
    data_.demands = Values(0.7, 5, columns);
    if (Chance(0.3)) data_.backhauls = Values(0.3, 5, columns);
    if (Chance(0.3)) data_.pickups = Values(0.4, 5, columns);
  }

  void DrawWindows(bool soft) {
    const bool several = Chance(0.3);
    if (several) data_.further_windows.resize(nodes_);
    for (size_t i = 0; i < nodes_; ++i) {
      TimeWindow window{0, kConstrainedHorizon};
      if (!IsDepot(i) && Chance(0.6)) {
        window.open = RandomReal(0.4 * kConstrainedHorizon);
        window.close = window.open + 20 + RandomReal(150);
      }
      TimeWindow* last = &window;
      if (several && !IsDepot(i) && window.close < kConstrainedHorizon && Chance(0.5)) {
        const double open = window.close + 1 + RandomReal(50);
        data_.further_windows[i] = {{open, open + RandomReal(100)}};
        last = &data_.further_windows[i].back();
      }
      if (soft && !IsDepot(i) && Chance(0.5)) last->late_cost = std::floor(RandomReal(4));
      data_.windows.push_back(window);
    }
  }

  void DrawTimes() {
    data_.services = Values(0.8, 10);
    if (Chance(0.3)) data_.setups = Values(0.5, 10);
    if (Chance(0.3)) data_.releases = Values(0.4, 100);
  }

  void DrawVehicles(bool breaks, bool reloads) {
    const int32_t types = RandomInt(1, 3);
    for (int32_t i = 0; i < types; ++i) data_.vehicles.push_back(Vehicle(breaks, reloads));
  }

  VehicleType Vehicle(bool breaks, bool reloads) {
    VehicleType vehicle;
    vehicle.count = RandomInt(0, 3);
    vehicle.depot = RandomInt(0, data_.num_depots - 1);
    if (Chance(0.3)) vehicle.open_end = true;
    if (!vehicle.open_end && Chance(0.5)) vehicle.end_depot = RandomInt(0, data_.num_depots - 1);
    vehicle.capacity = RandomInt(5, 15);  // no demand, backhaul, pickup or shipment is above 5
    if (data_.load_dimensions == 2 && Chance(0.7))
      vehicle.further_capacities = {5 + RandomReal(10)};
    if (Chance(0.3)) vehicle.max_distance = 100 + RandomReal(200);
    if (Chance(0.4)) vehicle.max_duration = 100 + RandomReal(150);
    if (Chance(0.3)) vehicle.max_waiting = RandomReal(60);
    if (Chance(0.3)) vehicle.max_stops = RandomInt(1, 6);
    if (Chance(0.4)) vehicle.shift = {RandomReal(50), 200 + RandomReal(200)};
    if (reloads) vehicle.max_reloads = RandomInt(0, 2);
    if (vehicle.max_reloads > 0 && Chance(0.4)) {
      vehicle.reload_depots = {data_.num_depots - 1};
      if (data_.num_depots > 1 && Chance(0.5)) vehicle.reload_depots.push_back(0);
    }
    if (Chance(0.2)) vehicle.latest_start = RandomReal(150);
    if (Chance(0.2)) {
      vehicle.initial_load.assign(static_cast<size_t>(data_.load_dimensions), RandomInt(0, 5));
    }
    vehicle.lifo = Chance(0.4);
    if (Chance(0.3)) DrawCompartments(vehicle);
    if (Chance(0.5)) vehicle.skills = {"crane"};
    if (data_.objective == Objective::kCost) DrawCosts(vehicle);
    if (vehicle.max_duration != kNoLimit && Chance(0.5)) vehicle.max_overtime = RandomReal(100);
    if (vehicle.max_overtime == 0) vehicle.overtime_cost = 0;
    for (int32_t i = 0, count = breaks ? RandomInt(0, 2) : 0; i < count; ++i) {
      const double open = RandomReal(150);
      vehicle.breaks.push_back({{open, open + 20 + RandomReal(100)}, std::floor(RandomReal(20))});
      DrawBreakLimits(vehicle.breaks.back());
    }
    if (Chance(0.2)) DrawCustomerTimes(vehicle);
    if (Chance(0.2)) vehicle.duration_matrix = Matrix(50);
    if (Chance(0.2)) vehicle.distance_matrix = Matrix(60);
    return vehicle;
  }

  // Each load dimension fits somewhere, if no other does.
  void DrawCompartments(VehicleType& vehicle) {
    vehicle.compartments = {{.capacity = 6}};
    for (int32_t i = RandomInt(0, 3); i > 0; --i) {
      Compartment& added = vehicle.compartments.emplace_back();
      added.capacity = RandomInt(2, 6);
      if (Chance(0.5)) added.load_dimensions = {RandomInt(0, data_.load_dimensions - 1)};
    }
  }

  void DrawBreakLimits(Break& pause) {
    if (Chance(0.4)) {
      const double open = pause.window.close + 1 + RandomReal(30);
      pause.further_windows = {{open, open + RandomReal(50)}};
    }
    if (!Chance(0.4)) return;
    for (int32_t k = 0; k < data_.load_dimensions; ++k) pause.max_load.push_back(RandomInt(0, 10));
  }

  void DrawCustomerTimes(VehicleType& vehicle) {
    for (NodeIndex node = data_.num_depots; node < static_cast<NodeIndex>(nodes_); ++node) {
      if (!Chance(0.5)) continue;
      CustomerTimes& times = vehicle.customer_times.emplace_back(CustomerTimes{.customer = node});
      if (Chance(0.7)) times.service = std::floor(RandomReal(15));
      if (Chance(0.4)) times.setup = std::floor(RandomReal(15));
    }
  }

  // Draws limits for routes of about 200 time units.
  void DrawDrivingRules(VehicleType& vehicle) {
    const auto chance = [this](double share) { return driving_random_.UniformDouble() < share; };
    const auto real = [this](double max) { return driving_random_.UniformDouble() * max; };
    if (chance(0.7)) return;
    DrivingRules& rules = vehicle.driving_rules;
    if (chance(0.3)) rules.max_driving = 80 + real(150);
    if (chance(0.3)) rules.max_work = 100 + real(150);
    if (chance(0.2)) return;
    rules.max_driving_before_break = 30 + real(60);
    rules.break_duration = 5 + real(20);
    if (chance(0.4)) return;
    rules.first_part = rules.break_duration * real(1);
    rules.second_part = rules.break_duration - rules.first_part * real(1);
  }

  void DrawCosts(VehicleType& vehicle) {
    vehicle.fixed_cost = std::floor(RandomReal(50));
    vehicle.cost_per_distance = RandomReal(2);
    if (Chance(0.6)) vehicle.cost_per_time = RandomReal(2);
    vehicle.overtime_cost = RandomReal(3);
    if (Chance(0.3)) vehicle.cost_per_service_time = RandomReal(2);
  }

  std::vector<double> Matrix(double max) {
    std::vector<double> matrix(nodes_ * nodes_, 0);
    for (size_t i = 0; i < matrix.size(); ++i) {
      if (i / nodes_ != i % nodes_) matrix[i] = std::floor(RandomReal(max));
    }
    return matrix;
  }

  void DrawRequiredSkills() {
    if (!Chance(0.3)) return;
    data_.required_skills.resize(nodes_);
    for (size_t i = 0; i < nodes_; ++i) {
      if (!IsDepot(i) && Chance(0.3)) data_.required_skills[i] = {"crane"};
    }
  }

  void DrawPrizesAndPriorities() {
    if (Chance(0.4)) {
      data_.prizes.assign(nodes_, kNoLimit);
      for (size_t i = 0; i < nodes_; ++i) {
        if (!IsDepot(i) && Chance(0.5)) data_.prizes[i] = std::floor(RandomReal(100));
      }
    }
    if (!Chance(0.3)) return;
    data_.priorities.assign(nodes_, 0);
    for (size_t i = 0; i < nodes_; ++i) {
      if (!IsDepot(i)) data_.priorities[i] = RandomInt(0, 9);
    }
  }

  // Adds up to two shipments if `shipments`, and sometimes a group of three alternative customers.
  void DrawRequests(bool shipments) {
    const NodeIndex end = static_cast<NodeIndex>(nodes_);
    NodeIndex next = data_.num_depots;
    for (int32_t i = 0; shipments && i < 2 && next + 1 < end; ++i, next += 2) {
      Shipment& added = data_.shipments.emplace_back();
      added.pickup = next;
      added.delivery = next + 1;
      added.amounts.assign(static_cast<size_t>(data_.load_dimensions), RandomInt(0, 5));
      if (!data_.prizes.empty()) data_.prizes[next + 1] = data_.prizes[next];
    }
    if (data_.shipments.size() == 2 && Chance(0.3)) {
      const NodeIndex first = data_.num_depots;
      data_.alternative_groups = {{first, first + 2}};
    }
    if (!Chance(0.3) || next + 2 >= end) return;
    data_.alternative_groups.push_back({next, next + 1, next + 2});
  }

  // Adds travel times by departure, of all vehicles or of one type.
  void DrawTimesOfDay() {
    VehicleType& first = data_.vehicles.front();
    const bool of_all = Chance(0.5);
    if (!of_all) first.duration_matrix.clear();
    (of_all ? data_.duration_matrices : first.duration_matrices) =
        DrawTimedMatrices(random_, Matrix(50), kConstrainedHorizon);
  }

  void DrawLoadingAndTravelCosts() {
    const auto chance = [&](double share) { return later_random_.UniformDouble() < share; };
    if (chance(0.3)) {
      for (int32_t i = 0; i < data_.num_depots; ++i) {
        data_.services[static_cast<size_t>(i)] = std::floor(20 * later_random_.UniformDouble());
      }
    }
    if (data_.objective != Objective::kCost || !chance(0.4)) return;
    for (VehicleType& vehicle : data_.vehicles) {
      vehicle.cost_per_travel_time = 2 * later_random_.UniformDouble();
    }
  }

  // Adds lengths of all vehicles or of one type.
  void DrawLengths() {
    VehicleType& first = data_.vehicles.front();
    const bool of_all = later_random_.UniformDouble() < 0.5;
    std::vector<double>& lengths = of_all ? data_.length_matrix : first.length_matrix;
    lengths.assign(nodes_ * nodes_, 0);
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (i / nodes_ != i % nodes_) lengths[i] = std::floor(60 * later_random_.UniformDouble());
    }
    if (first.max_distance == kNoLimit) {
      first.max_distance = 100 + 100 * later_random_.UniformDouble();
    }
  }

  void DrawRules() {
    std::vector<RuleKind> kinds;
    for (const RuleKind kind : {RuleKind::kSameRoute, RuleKind::kDifferentRoutes,
                                RuleKind::kMaxPerRoute, RuleKind::kInOrder}) {
      if (rules_random_.UniformDouble() < 0.15) kinds.push_back(kind);
    }
    AddRules(kinds, rules_random_, data_);
  }

  CounterRandom random_;
  CounterRandom rules_random_;
  CounterRandom driving_random_;  // apart, so that a seed gives all else as before
  CounterRandom later_random_;    // likewise
  const int32_t customers_;
  size_t nodes_ = 0;
  InstanceData data_;
};

NodeIndex DrawReload(const VehicleType& vehicle, CounterRandom& random) {
  const std::vector<NodeIndex>& depots = vehicle.reload_depots;
  if (depots.empty()) return vehicle.depot;
  return depots[static_cast<size_t>(random.UniformInt(0, std::ssize(depots) - 1))];
}

}  // namespace

InstanceData RandomConstrainedData(uint64_t seed, int32_t customers) {
  return ConstrainedGenerator(seed, customers).Generate();
}

Instance RandomConstrainedInstance(uint64_t seed, int32_t customers) {
  return Instance::Create(RandomConstrainedData(seed, customers)).value();
}

Balance RandomBalance(uint64_t seed) {
  CounterRandom random(seed, 9, 0);
  Balance balance{.measure = static_cast<BalanceMeasure>(random.UniformInt(0, 3))};
  if (random.UniformDouble() < 0.7) balance.max_spread = std::floor(20 * random.UniformDouble());
  if (balance.max_spread == kNoLimit || random.UniformDouble() < 0.5) {
    balance.cost = 1 + random.UniformDouble();
  }
  return balance;
}

Plan RandomConstrainedPlan(const Instance& instance, uint64_t seed) {
  CounterRandom random(seed, 8, 0);
  std::vector<NodeIndex> order(static_cast<size_t>(instance.num_customers()));
  std::iota(order.begin(), order.end(), instance.num_depots());
  random.Shuffle(std::span<NodeIndex>(order));
  const auto types = static_cast<int64_t>(instance.vehicles().size());
  Plan plan;
  for (const NodeIndex customer : order) {
    if (random.UniformDouble() < 0.15) continue;
    if (plan.empty() || random.UniformDouble() < 0.35) {
      plan.push_back({.vehicle_type = static_cast<int32_t>(random.UniformInt(0, types - 1))});
      const VehicleType& vehicle = VehicleOf(instance, plan.back());
      if (vehicle.MayUnloadFirst() && random.UniformDouble() < 0.4) {
        plan.back().customers.push_back(DrawReload(vehicle, random));
      }
    } else {
      const VehicleType& vehicle = VehicleOf(instance, plan.back());
      const bool reload = vehicle.max_reloads > 0 && random.UniformDouble() < 0.4;
      if (reload) plan.back().customers.push_back(DrawReload(vehicle, random));
    }
    plan.back().customers.push_back(customer);
  }
  return plan;
}

}  // namespace vrp::test
