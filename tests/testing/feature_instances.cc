#include "tests/testing/feature_instances.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "tests/testing/rule_draws.h"
#include "tests/testing/timed_matrices.h"

namespace vrp::test {
namespace {

constexpr double kFeatureSide = 100;     // side of the square of locations
constexpr double kFeatureHorizon = 400;  // end of the depots' windows
constexpr double kCapacity = 40;         // capacity of a large vehicle in the first dimension
constexpr int32_t kFeatureCount = static_cast<int32_t>(Feature::kAlternatives) + 1;
// Further features that DrawFeatures draws.
constexpr Feature kFurtherFeatures[] = {Feature::kCustomerTimes, Feature::kServiceTimeCost};
// Features that DrawFeatures draws last.
constexpr Feature kLaterFeatures[] = {Feature::kDrivingRules, Feature::kDepotService,
                                      Feature::kTravelTimeCost, Feature::kLengthMatrix};
constexpr double kRuleShare = 0.1;  // of the mixtures that have each kind of rule

class FeatureInstanceMaker {
 public:
  explicit FeatureInstanceMaker(const FeatureInstanceOptions& options)
      : options_(options), random_(options.seed) {}

  Instance Make() {
    AddNodes();
    AddVehicles();
    AddLoads();
    AddTimes();
    AddLimits();
    AddChoices();
    AddCustomerRules();
    if (Has(Feature::kTimeOfDay)) AddTimesOfDay();
    if (Has(Feature::kBalance)) AddBalance();
    if (Has(Feature::kLengthMatrix)) AddLengths();
    auto instance = Instance::Create(std::move(data_));
    if (instance.ok()) return *std::move(instance);
    std::fprintf(stderr, "MakeFeatureInstance: %s\n", instance.status().ToString().c_str());
    std::abort();
  }

 private:
  bool Has(Feature feature) const {
    return std::find(options_.features.begin(), options_.features.end(), feature) !=
           options_.features.end();
  }
  double Uniform(double low, double high) { return low + (high - low) * random_.UniformDouble(); }
  int32_t UniformInt(int32_t low, int32_t high) {
    return static_cast<int32_t>(random_.UniformInt(low, high));
  }
  int32_t Nodes() const { return data_.num_depots + options_.customers; }
  bool HasCosts() const { return data_.objective == Objective::kCost; }

  void AddNodes() {
    data_.name =
        "features-" + std::to_string(options_.customers) + "-" + std::to_string(options_.seed);
    data_.metric = options_.metric;
    if (Has(Feature::kObjective)) data_.objective = options_.objective;
    if (Has(Feature::kOvertime) || Has(Feature::kServiceTimeCost) ||
        Has(Feature::kTravelTimeCost)) {
      data_.objective = Objective::kCost;
    }
    if (Has(Feature::kSeveralDepots) || Has(Feature::kEndDepot) || Has(Feature::kReloadDepots)) {
      data_.num_depots = 3;
    }
    for (int32_t i = 0; i < Nodes(); ++i) {
      const double margin = i < data_.num_depots ? 0.25 * kFeatureSide : 0;
      data_.positions.push_back(
          {Uniform(margin, kFeatureSide - margin), Uniform(margin, kFeatureSide - margin)});
    }
  }

  void AddVehicles() {
    const int32_t depots = data_.num_depots;
    const int32_t sizes = Has(Feature::kVehicleTypes) || Has(Feature::kSkills) ? 2 : 1;
    for (int32_t i = 0; i < std::max(sizes, depots); ++i) {
      VehicleType type{.id = "type" + std::to_string(i), .count = options_.vehicles};
      const bool large = i % sizes == 0;
      type.depot = i % depots;
      type.capacity = large ? kCapacity : kCapacity / 2;
      if (Has(Feature::kLoadDimensions)) type.further_capacities = {large ? 30.0 : 20.0};
      if (HasCosts()) {
        type.fixed_cost = large ? 60 : 35;
        type.cost_per_distance = large ? 1 : 0.75;
        type.cost_per_time = large ? 0.5 : 0.25;
      }
      if (Has(Feature::kSkills)) {
        type.skills =
            large ? std::vector<std::string>{"lift", "cold"} : std::vector<std::string>{"cold"};
      }
      if (Has(Feature::kEndDepot)) type.end_depot = (type.depot + 1) % depots;
      data_.vehicles.push_back(std::move(type));
    }
    if (!Has(Feature::kVehicleMatrix)) return;
    VehicleType slow = data_.vehicles.front();
    slow.id = "other roads";
    slow.distance_matrix = Matrix();
    data_.vehicles.push_back(std::move(slow));
  }

  // Returns the direct distances, each multiplied by a factor from 0.8 to 1.4.
  std::vector<double> Matrix() {
    std::vector<double> matrix;
    for (int32_t i = 0; i < Nodes(); ++i) {
      for (int32_t j = 0; j < Nodes(); ++j) {
        const double distance =
            MetricDistance(data_.metric, data_.positions[i], data_.positions[j]);
        matrix.push_back(MetricSum(data_.metric, distance * Uniform(0.8, 1.4)));
      }
    }
    return matrix;
  }

  template <typename Draw>
  std::vector<double> Loads(Draw draw) {
    std::vector<double> loads;
    for (int32_t i = 0; i < Nodes(); ++i) {
      for (int32_t k = 0; k < data_.load_dimensions; ++k) {
        loads.push_back(i < data_.num_depots ? 0 : draw(i));
      }
    }
    return loads;
  }

  void AddLoads() {
    if (Has(Feature::kLoadDimensions) || Has(Feature::kCompartments)) data_.load_dimensions = 2;
    const bool shipments = Has(Feature::kShipments) || Has(Feature::kLifo);
    const int32_t paired = shipments ? data_.num_depots + options_.customers / 2 / 2 * 2 : 0;
    std::vector<char> is_backhaul(Nodes(), 0);
    if (Has(Feature::kBackhauls)) {
      for (int32_t i = paired; i < Nodes(); ++i) is_backhaul[i] = Uniform(0, 1) < 0.3;
      data_.backhauls = Loads([&](int32_t i) { return is_backhaul[i] ? UniformInt(1, 9) : 0; });
    }
    data_.demands =
        Loads([&](int32_t i) { return i < paired || is_backhaul[i] ? 0 : UniformInt(1, 9); });
    if (Has(Feature::kPickups)) {
      data_.pickups =
          Loads([&](int32_t i) { return i < paired || is_backhaul[i] ? 0 : UniformInt(0, 9); });
    }
    for (int32_t i = data_.num_depots; i + 1 < paired; i += 2) {
      Shipment shipment{.id = "s" + std::to_string(i), .pickup = i, .delivery = i + 1};
      for (int32_t k = 0; k < data_.load_dimensions; ++k)
        shipment.amounts.push_back(UniformInt(1, 9));
      data_.shipments.push_back(std::move(shipment));
    }
  }

  void AddTimes() {
    const bool several_windows = Has(Feature::kSeveralWindows);
    const bool soft = Has(Feature::kSoftWindows);
    if (several_windows || soft || Has(Feature::kMaxWaiting) || Has(Feature::kTimeOfDay) ||
        Uniform(0, 1) < 0.3) {
      data_.kind = ProblemKind::kVrptw;
      if (several_windows) data_.further_windows.resize(Nodes());
      for (int32_t i = 0; i < Nodes(); ++i) AddWindows(i, several_windows, soft);
    }
    const auto times = [&](double low, double high) {
      std::vector<double> values(Nodes(), 0.0);
      for (int32_t i = data_.num_depots; i < Nodes(); ++i) values[i] = Uniform(low, high);
      return values;
    };
    if (Uniform(0, 1) < 0.5) data_.services = times(2, 10);
    if (Has(Feature::kSetupTimes)) {
      data_.setups = times(1, 6);
      // Customers at one position share a setup, so every third customer gets its predecessor's
      // position.
      for (int32_t i = data_.num_depots + 1; i < Nodes(); i += 3) {
        data_.positions[i] = data_.positions[i - 1];
      }
    }
    if (Has(Feature::kReleaseTimes)) data_.releases = times(0, kFeatureHorizon / 4);
    for (VehicleType& type : data_.vehicles) {
      if (Has(Feature::kShift)) type.shift = {20, 360};
      if (Has(Feature::kBreaks)) AddBreaks(type);
    }
    if (Has(Feature::kCustomerTimes)) AddCustomerTimes();
    if (Has(Feature::kServiceTimeCost)) {
      if (data_.services.empty()) data_.services = times(2, 10);
      for (VehicleType& type : data_.vehicles) type.cost_per_service_time = Uniform(0.2, 2);
    }
    if (Has(Feature::kTravelTimeCost)) {
      for (VehicleType& type : data_.vehicles) type.cost_per_travel_time = Uniform(0.2, 2);
    }
    if (Has(Feature::kDepotService)) {
      data_.services.resize(Nodes(), 0.0);
      for (int32_t i = 0; i < data_.num_depots; ++i) data_.services[i] = UniformInt(3, 20);
    }
  }

  // Lengths that have little to do with the distances, by the seed of all vehicles or of one type.
  void AddLengths() {
    CounterRandom random(options_.seed, 18, 0);
    const auto nodes = static_cast<size_t>(Nodes());
    std::vector<double> lengths(nodes * nodes, 0);
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (i / nodes != i % nodes) lengths[i] = std::floor(5 + 60 * random.UniformDouble());
    }
    for (VehicleType& type : data_.vehicles) type.max_distance = 240 + 60 * random.UniformDouble();
    const bool of_all = options_.seed % 3 != 0;
    (of_all ? data_.length_matrix : data_.vehicles.back().length_matrix) = std::move(lengths);
  }

  // By the seed, breaks have several windows, limits on the load, both or none.
  void AddBreaks(VehicleType& type) const {
    type.breaks = {{.window = {60, 110}, .duration = 15}, {.window = {120, 200}, .duration = 20}};
    if (options_.seed % 2 == 0) {
      type.breaks[0].window.close = 80;
      type.breaks[0].further_windows = {{95, 110}};
      type.breaks[1].window.close = 140;
      type.breaks[1].further_windows = {{155, 165}, {180, 230}};
    }
    if (options_.seed % 3 != 0) return;
    type.breaks[1].max_load = {0.7 * type.capacity};
    type.breaks[1].max_load.resize(static_cast<size_t>(data_.load_dimensions), kNoLimit);
  }

  // Gives each type its own times at about half of the customers.
  void AddCustomerTimes() {
    for (VehicleType& type : data_.vehicles) {
      for (NodeIndex node = data_.num_depots; node < Nodes(); ++node) {
        if (Uniform(0, 1) < 0.5) continue;
        CustomerTimes& times = type.customer_times.emplace_back(CustomerTimes{.customer = node});
        if (Uniform(0, 1) < 0.7) times.service = Uniform(0, 12);
        if (Uniform(0, 1) < 0.4) times.setup = Uniform(0, 6);
      }
    }
  }

  void AddWindows(int32_t node, bool several_windows, bool soft) {
    if (node < data_.num_depots) {
      data_.windows.push_back({0, kFeatureHorizon});
      return;
    }
    const double open = Uniform(20, 200);
    data_.windows.push_back({open, open + Uniform(20, 80)});
    if (several_windows) {
      const double second_open = data_.windows.back().close + Uniform(10, 40);
      data_.further_windows[node].push_back({second_open, second_open + Uniform(10, 40)});
    }
    if (!soft) return;
    TimeWindow& last = several_windows ? data_.further_windows[node].back() : data_.windows.back();
    last.late_cost = Uniform(0.5, 2);
  }

  void AddLimits() {
    for (VehicleType& type : data_.vehicles) {
      type.open_end = Has(Feature::kOpenEnd) && !Has(Feature::kEndDepot);
      if (Has(Feature::kMaxDuration)) type.max_duration = Uniform(280, 340);
      if (Has(Feature::kOvertime)) {
        type.max_duration = Uniform(180, 240);
        type.max_overtime = 100;
        type.overtime_cost = 1.5;
      }
      if (Has(Feature::kMaxDistance)) type.max_distance = Uniform(240, 300);
      if (Has(Feature::kMaxWaiting)) type.max_waiting = Uniform(5, 30);
      if (Has(Feature::kDrivingRules)) {
        type.driving_rules = {.max_driving_before_break = Uniform(60, 90),
                              .break_duration = 20,
                              .first_part = 8,
                              .second_part = 12,
                              .max_driving = Uniform(240, 300),
                              .max_work = Uniform(280, 340)};
      }
      if (Has(Feature::kMaxStops)) type.max_stops = UniformInt(4, 8);
      if (Has(Feature::kReloads) || Has(Feature::kReloadDepots)) type.max_reloads = 2;
      if (Has(Feature::kReloadDepots)) type.reload_depots = {2, 0, 1};
      if (Has(Feature::kLatestStart)) type.latest_start = Uniform(30, 120);
      if (Has(Feature::kInitialLoad)) {
        type.initial_load.assign(data_.load_dimensions, UniformInt(1, 8));
      }
      type.lifo = Has(Feature::kLifo) && (&type - data_.vehicles.data()) % 2 == 0;
      if (!Has(Feature::kCompartments)) continue;
      type.compartments = {{.capacity = 10}, {.capacity = 10}};
      if (type.capacity < kCapacity) continue;
      type.compartments.push_back({.capacity = 14, .load_dimensions = {0, 1}});
      type.compartments.push_back({.capacity = 6, .load_dimensions = {1}});
    }
  }

  // Adds travel times by departure of all vehicles, and others of the last of several types.
  void AddTimesOfDay() {
    const auto draw = [&] { return DrawTimedMatrices(random_, Matrix(), kFeatureHorizon); };
    data_.duration_matrices = draw();
    if (data_.vehicles.size() > 1) data_.vehicles.back().duration_matrices = draw();
  }

  void AddChoices() {
    const int32_t first = data_.num_depots;
    if (Has(Feature::kSkills)) {
      data_.required_skills.resize(Nodes());
      for (int32_t i = first; i < Nodes(); ++i) {
        const double draw = Uniform(0, 1);
        if (draw < 0.4) data_.required_skills[i] = {draw < 0.2 ? "lift" : "cold"};
      }
    }
    if (Has(Feature::kPrizes)) AddPrizes();
    if (Has(Feature::kPriorities)) {
      data_.priorities.assign(Nodes(), 0);
      for (int32_t i = first; i < Nodes(); ++i) data_.priorities[i] = UniformInt(0, 5);
    }
    if (!Has(Feature::kAlternatives)) return;
    const auto paired = 2 * static_cast<int32_t>(data_.shipments.size());
    // Every second pair of shipments is one of two alternatives.
    for (int32_t i = first; i + 3 < first + paired; i += 8) {
      data_.alternative_groups.push_back({i, i + 2});
      if (data_.prizes.empty()) continue;
      data_.prizes[i + 1] = data_.prizes[i];
      if (i % 16 < 8) data_.prizes[i + 2] = data_.prizes[i];
      data_.prizes[i + 3] = data_.prizes[i + 2];
    }
    for (int32_t i = first + paired; i + 1 < Nodes(); i += 4) {
      data_.alternative_groups.push_back({i, i + 1});
      // The customers of every second group have different prizes.
      if (!data_.prizes.empty() && i % 8 < 4) data_.prizes[i + 1] = data_.prizes[i];
    }
  }

  void AddBalance() {
    Balance& balance = data_.balance.emplace();
    balance.measure = static_cast<BalanceMeasure>(UniformInt(0, 3));
    const bool limited = Uniform(0, 1) < 0.7;
    if (limited) {
      balance.max_spread = balance.measure == BalanceMeasure::kStops  ? UniformInt(0, 3)
                           : balance.measure == BalanceMeasure::kLoad ? UniformInt(2, 12)
                                                                      : Uniform(10, 80);
    }
    if (!limited || Uniform(0, 1) < 0.5) balance.cost = Uniform(0.2, 3);
    balance.all_vehicles = options_.vehicles > 0 && Uniform(0, 1) < 0.5 &&
                           data_.objective != Objective::kVehiclesThenDistance;
  }

  void AddCustomerRules() {
    std::vector<RuleKind> kinds;
    for (const auto& [feature, kind] : {std::pair{Feature::kSameRoute, RuleKind::kSameRoute},
                                        {Feature::kDifferentRoutes, RuleKind::kDifferentRoutes},
                                        {Feature::kMaxPerRoute, RuleKind::kMaxPerRoute},
                                        {Feature::kInOrder, RuleKind::kInOrder}}) {
      if (Has(feature)) kinds.push_back(kind);
    }
    if (!kinds.empty()) AddRules(kinds, random_, data_);
  }

  void AddPrizes() {
    data_.prizes.assign(Nodes(), kNoLimit);
    for (int32_t i = data_.num_depots; i < Nodes(); ++i) {
      if (Uniform(0, 1) < 0.7) data_.prizes[i] = Uniform(10, 60);
    }
    for (const Shipment& shipment : data_.shipments) {
      data_.prizes[shipment.delivery] = data_.prizes[shipment.pickup];
    }
  }

  const FeatureInstanceOptions& options_;
  CounterRandom random_;
  InstanceData data_;
};

}  // namespace

Instance MakeFeatureInstance(const FeatureInstanceOptions& options) {
  return FeatureInstanceMaker(options).Make();
}

std::vector<Feature> DrawFeatures(uint64_t seed) {
  CounterRandom random(seed);
  std::vector<Feature> features;
  const auto count = static_cast<int32_t>(random.UniformInt(1, 6));
  while (static_cast<int32_t>(features.size()) < count) {
    const auto number = static_cast<int32_t>(
        random.UniformInt(0, kFeatureCount + std::ssize(kFurtherFeatures) - 1));
    const Feature drawn = number < kFeatureCount ? static_cast<Feature>(number)
                                                 : kFurtherFeatures[number - kFeatureCount];
    if (std::find(features.begin(), features.end(), drawn) == features.end()) {
      features.push_back(drawn);
    }
  }
  CounterRandom rules(seed, 1, 0);
  for (auto rule = static_cast<int32_t>(Feature::kSameRoute);
       rule <= static_cast<int32_t>(Feature::kInOrder); ++rule) {
    if (rules.UniformDouble() < kRuleShare) features.push_back(static_cast<Feature>(rule));
  }
  // Drawn apart, so that a seed gives the other features as before.
  for (const Feature feature : kLaterFeatures) {
    if (random.UniformInt(0, 5) == 0) features.push_back(feature);
  }
  return features;
}

}  // namespace vrp::test
