#include "tests/kernels/routing_case.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include "core/base/random.h"

namespace vrp {
namespace {

// The longest distance and duration of a trip to a customer and back, including service.
struct LongestTrips {
  double distance = 0;
  double duration = 0;
};

LongestTrips FindLongestTrips(const InstanceData& data, const Instance& instance) {
  LongestTrips longest;
  for (NodeIndex n = 1; n < instance.num_nodes(); ++n) {
    longest.distance =
        std::max(longest.distance, instance.Distance(0, n) + instance.Distance(n, 0));
    longest.duration =
        std::max(longest.duration, instance.Duration(0, n) + instance.Duration(n, 0) +
                                       (data.services.empty() ? 0 : data.services[n]));
  }
  return longest;
}

Instance MustCreate(const InstanceData& data) {
  absl::StatusOr<Instance> instance = Instance::Create(data);
  if (instance.ok()) return *std::move(instance);
  std::cerr << "routing_case: " << instance.status() << "\n";
  std::abort();
}

void AddGraph(const CaseOptions& options, CounterRandom& random, InstanceData& data) {
  const size_t count = static_cast<size_t>(options.nodes);
  if (!options.matrix) {
    for (size_t n = 0; n < count; ++n) {
      data.positions.push_back({100 * random.UniformDouble(), 100 * random.UniformDouble()});
    }
    return;
  }
  for (size_t from = 0; from < count; ++from) {
    for (size_t to = 0; to < count; ++to) {
      data.distance_matrix.push_back(from == to ? 0
                                                : static_cast<double>(random.UniformInt(10, 100)));
      data.duration_matrix.push_back(from == to ? 0 : 10 + 90 * random.UniformDouble());
    }
  }
}

void AddLoads(const CaseOptions& options, CounterRandom& random, InstanceData& data) {
  data.demands.push_back(0);
  data.backhauls.push_back(0);
  for (int32_t n = 1; n < options.nodes; ++n) {
    const double amount = static_cast<double>(random.UniformInt(1, 9));
    const bool pickup = options.backhauls && random.UniformDouble() < 0.4;
    data.demands.push_back(pickup ? 0 : amount);
    data.backhauls.push_back(pickup ? amount : 0);
    data.services.push_back(n == 1 ? 0 : random.UniformDouble() * 10);
  }
  data.services.push_back(5);
  if (!options.backhauls) data.backhauls.clear();
}

void AddWindows(CounterRandom& random, const Instance& instance, InstanceData& data) {
  const double horizon = 4 * FindLongestTrips(data, instance).duration;
  data.windows.push_back({3, 3 + horizon});
  for (NodeIndex n = 1; n < instance.num_nodes(); ++n) {
    const double earliest = 3 + instance.Duration(0, n);
    const double latest = 3 + horizon - instance.Duration(n, 0) - data.services[n];
    const double open = earliest + random.UniformDouble() * (latest - earliest) * 0.8;
    data.windows.push_back({open, open + random.UniformDouble() * (latest - open)});
  }
}

}  // namespace

std::string CaseName(const CaseOptions& options) {
  std::string name = options.tsp ? "tsp" : "cvrp";
  if (options.windows) name += "_windows";
  if (options.open_routes) name += "_open";
  if (options.distance_limit) name += "_distance";
  if (options.duration_limit) name += "_duration";
  if (options.backhauls) name += "_backhauls";
  if (options.matrix) name += "_matrix";
  return name + "_" + std::string(MetricName(options.metric));
}

std::vector<CaseOptions> AllCases(int32_t nodes) {
  std::vector<CaseOptions> cases;
  for (const bool matrix : {false, true}) {
    cases.push_back({.nodes = nodes, .tsp = true, .matrix = matrix});
    for (uint32_t bits = 0; bits < 32; ++bits) {
      cases.push_back({.nodes = nodes,
                       .windows = (bits & 1) != 0,
                       .open_routes = (bits & 2) != 0,
                       .distance_limit = (bits & 4) != 0,
                       .duration_limit = (bits & 8) != 0,
                       .backhauls = (bits & 16) != 0,
                       .matrix = matrix,
                       .seed = bits + 1});
    }
  }
  for (const Metric metric :
       {Metric::kRounded, Metric::kCeiled, Metric::kDimacs, Metric::kScaled1000}) {
    cases.push_back({.nodes = nodes, .metric = metric});
    cases.push_back({.nodes = nodes, .windows = true, .distance_limit = true, .metric = metric});
  }
  return cases;
}

RoutingCase::RoutingCase(const CaseOptions& options) {
  CounterRandom random(options.seed, 77);
  data_.kind = options.tsp       ? ProblemKind::kTsp
               : options.windows ? ProblemKind::kVrptw
                                 : ProblemKind::kCvrp;
  data_.metric = options.metric;
  data_.speed = options.matrix || options.tsp ? 1 : 2;
  AddGraph(options, random, data_);
  if (!options.tsp) {
    AddLoads(options, random, data_);
    VehicleType vehicle{.capacity = 20, .open_end = options.open_routes};
    data_.vehicles = {vehicle};
    InstanceData bare = data_;
    bare.kind = ProblemKind::kCvrp;
    const Instance graph = MustCreate(bare);
    const LongestTrips trips = FindLongestTrips(data_, graph);
    if (options.distance_limit) data_.vehicles[0].max_distance = 1.3 * trips.distance;
    if (options.duration_limit) data_.vehicles[0].max_duration = 1.4 * trips.duration;
    if (options.windows) AddWindows(random, graph, data_);
  }
  instance_ = std::make_unique<Instance>(MustCreate(data_));
  for (const Position& position : data_.positions) {
    x_.push_back(position.x);
    y_.push_back(position.y);
  }
  for (const TimeWindow& window : data_.windows) {
    opens_.push_back(window.open);
    closes_.push_back(window.close);
  }
  const auto values = [](const std::vector<double>& from) {
    return from.empty() ? nullptr : from.data();
  };
  problem_ = {.nodes = options.nodes,
              .tsp = options.tsp,
              .open_routes = options.open_routes,
              .metric = options.metric,
              .speed = data_.speed,
              .x = values(x_),
              .y = values(y_),
              .distances = values(data_.distance_matrix),
              .durations = values(data_.duration_matrix),
              .demands = values(data_.demands),
              .backhauls = values(data_.backhauls),
              .window_opens = values(opens_),
              .window_closes = values(closes_),
              .services = values(data_.services),
              .horizon = closes_.empty() ? 300 : closes_[0],
              .scale = 100};
  if (options.tsp) return;
  problem_.capacity = 20;
  problem_.distance_limit = data_.vehicles[0].max_distance;
  problem_.duration_limit = data_.vehicles[0].max_duration;
}

Plan RoutingCase::PlanOf(const std::vector<int32_t>& choices) const {
  Plan plan;
  if (problem_.tsp) {
    std::vector<int32_t> tour = choices;
    std::rotate(tour.begin(), std::find(tour.begin(), tour.end(), 0), tour.end());
    plan.push_back({});
    plan.back().customers.assign(tour.begin() + 1, tour.end());
    return plan;
  }
  bool begins = true;
  for (const int32_t node : choices) {
    if (node != 0 && begins) plan.push_back({});
    if (node != 0) plan.back().customers.push_back(node);
    begins = node == 0;
  }
  return plan;
}

}  // namespace vrp
