#include "core/problem/generate/generators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/number.h"
#include "core/base/random.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/generate/instance_draws.h"

namespace vrp {
namespace {

constexpr double kVrptwSide = 150;     // side of the square of kVrptw, in units of distance
constexpr double kVrptwHorizon = 480;  // close of the depot's window, in units of time
constexpr int64_t kMaxGeneratedNodes = 50'000'000;  // nodes of GenerateInstances, about 2 GB

// A point of the curve from number of customers to vehicle capacity: linear between the points,
// constant outside. The values follow Kool et al. up to 100 customers, and rl4co beyond.
struct SizePoint {
  double customers;
  double capacity;
};
constexpr std::array<SizePoint, 7> kCapacities = {
    {{10, 20}, {20, 30}, {50, 40}, {100, 50}, {200, 70}, {500, 100}, {1000, 150}}};

absl::Status CheckAttributes(const GeneratorOptions& options) {
  const bool any = options.open_routes || options.distance_limit || options.backhauls;
  if (any && options.kind == ProblemKind::kTsp) {
    return absl::InvalidArgumentError(
        "open_routes, distance_limit, backhauls: given, wanted none for a TSP");
  }
  if (options.capacity != 0 && options.layout == Layout::kX) {
    return absl::InvalidArgumentError(Concat("capacity: got ", FormatNumber(options.capacity),
                                             ", wanted none: layout \"x\" draws its own"));
  }
  return absl::OkStatus();
}

// Draws a window of whole time units, at least one unit wide. At distance 0, it may be [0, 0]. The
// ends are uniform between the distance from the depot and the horizon less the distance back.
// rl4co rounds the ends down, so that a window may close just before a vehicle can arrive. This
// function moves such a close to the earliest arrival, so that every customer can be served.
TimeWindow ReachableWindow(double distance, CounterRandom& random) {
  const double latest = kVrptwHorizon - distance;
  const double first = std::floor(distance + (latest - distance) * random.UniformDouble());
  const double second = std::floor(distance + (latest - distance) * random.UniformDouble());
  TimeWindow window{.open = std::min(first, second), .close = std::max(first, second)};
  window.close = std::max(window.close, std::ceil(distance));
  if (window.open == window.close) window.open = std::max(0.0, window.open - 1);
  return window;
}

std::vector<Position> DrawUniformPositions(int32_t nodes, double side, CounterRandom& random) {
  std::vector<Position> positions;
  positions.reserve(static_cast<size_t>(nodes));
  for (int32_t i = 0; i < nodes; ++i) positions.push_back(DrawPosition(side, random));
  return positions;
}

void AddLoads(const GeneratorOptions& options, CounterRandom& random, CounterRandom& attributes,
              InstanceData& data) {
  if (options.layout == Layout::kX) {
    DrawnLoads loads = DrawXLoads(data.positions, attributes);
    data.demands = std::move(loads.demands);
    data.vehicles = {{.capacity = loads.capacity}};
    return;
  }
  const double default_capacity = DefaultCapacity(options.customers);
  data.vehicles = {{.capacity = options.capacity > 0 ? options.capacity : default_capacity}};
  data.demands.push_back(0);
  for (size_t i = 1; i < data.positions.size(); ++i) {
    data.demands.push_back(DrawDemand(kMaxDemand, random));
  }
}

void AddReachableWindows(CounterRandom& random, InstanceData& data) {
  data.services.assign(data.positions.size(), 0.0);
  data.windows.push_back({.open = 0, .close = kVrptwHorizon});
  for (size_t i = 1; i < data.positions.size(); ++i) {
    const double distance = MetricDistance(Metric::kExact, data.positions[0], data.positions[i]);
    data.windows.push_back(ReachableWindow(distance, random));
  }
}

void AddAttributes(const GeneratorOptions& options, double side, CounterRandom& random,
                   InstanceData& data) {
  constexpr double kBackhaulShare = 0.2;
  VehicleType& vehicle = data.vehicles.front();
  vehicle.open_end = options.open_routes;
  if (options.distance_limit) {
    double farthest = 0;
    for (const Position& position : data.positions) {
      farthest = std::max(farthest, MetricDistance(Metric::kExact, data.positions[0], position));
    }
    const double round_trip = 2 * farthest;
    vehicle.max_distance =
        round_trip + std::max(0.0, 3 * side - round_trip) * random.UniformDouble();
  }
  if (!options.backhauls) return;
  data.backhauls.assign(data.positions.size(), 0.0);
  for (size_t i = 1; i < data.positions.size(); ++i) {
    if (random.UniformDouble() < kBackhaulShare) std::swap(data.backhauls[i], data.demands[i]);
  }
}

}  // namespace

double DefaultCapacity(double customers) {
  if (customers <= kCapacities.front().customers) return kCapacities.front().capacity;
  for (size_t i = 1; i < kCapacities.size(); ++i) {
    const SizePoint& low = kCapacities[i - 1];
    const SizePoint& high = kCapacities[i];
    if (customers > high.customers) continue;
    const double share = (customers - low.customers) / (high.customers - low.customers);
    return std::round(low.capacity + share * (high.capacity - low.capacity));
  }
  return kCapacities.back().capacity;
}

absl::Status CheckGeneratorOptions(const GeneratorOptions& options) {
  const bool tsp = options.kind == ProblemKind::kTsp;
  const int32_t low = tsp ? 2 : 1;
  const int32_t high = kMaxNodes - (tsp ? 0 : 1);
  if (options.customers < low || options.customers > high) {
    return absl::InvalidArgumentError(
        Concat("customers: got ", options.customers, ", wanted ", low, " to ", high));
  }
  VRP_RETURN_IF_ERROR(CheckAttributes(options));
  if (options.capacity == 0) return absl::OkStatus();
  if (tsp) return absl::InvalidArgumentError("capacity: given, wanted none for a TSP");
  if (!(options.capacity >= kMaxDemand) || options.capacity > kMaxMagnitude) {
    return absl::InvalidArgumentError(
        Concat("capacity: got ", FormatNumber(options.capacity), ", wanted ", kMaxDemand,
               " (the largest demand) to 1e12, or 0 for the default"));
  }
  return absl::OkStatus();
}

InstanceData GenerateInstanceData(const GeneratorOptions& options, int64_t index) {
  const auto numbers = [&](InstanceStream stream) {
    return InstanceRandom(options.seed, index, stream, options.kind);
  };
  CounterRandom random = numbers(InstanceStream::kNodes);
  CounterRandom attributes = numbers(InstanceStream::kAttributes);
  const bool tsp = options.kind == ProblemKind::kTsp;
  const bool windows = options.kind == ProblemKind::kVrptw;
  const double side = windows ? kVrptwSide : 1;
  const int32_t nodes = options.customers + (tsp ? 0 : 1);

  InstanceData data;
  data.kind = options.kind;
  if (options.layout == Layout::kUniform) {
    data.positions = DrawUniformPositions(nodes, side, random);
  } else {
    data.positions = PlaceNodes(options.layout, nodes, attributes);
  }
  if (!tsp) AddLoads(options, random, attributes, data);
  if (options.layout != Layout::kUniform) {
    for (Position& position : data.positions)
      position = {.x = side * position.x, .y = side * position.y};
  }
  if (windows) AddReachableWindows(random, data);
  if (!tsp) AddAttributes(options, side, attributes, data);
  return data;
}

absl::StatusOr<Instance> GenerateInstance(const GeneratorOptions& options, int64_t index) {
  VRP_RETURN_IF_ERROR(CheckGeneratorOptions(options));
  if (index < 0) {
    return absl::InvalidArgumentError(Concat("index: got ", index, ", wanted at least 0"));
  }
  InstanceData data = GenerateInstanceData(options, index);
  data.name = Concat(KindName(options.kind), options.customers, "-s", options.seed, "-", index);
  return Instance::Create(std::move(data));
}

absl::StatusOr<std::vector<Instance>> GenerateInstances(const GeneratorOptions& options,
                                                        int64_t count) {
  VRP_RETURN_IF_ERROR(CheckGeneratorOptions(options));
  const int64_t max_count = kMaxGeneratedNodes / (int64_t{options.customers} + 1);
  if (count < 0 || count > max_count) {
    return absl::InvalidArgumentError(Concat("count: got ", count, ", wanted 0 to ", max_count,
                                             " of ", options.customers, " customers"));
  }
  std::vector<Instance> instances;
  instances.reserve(static_cast<size_t>(count));
  for (int64_t index = 0; index < count; ++index) {
    VRP_ASSIGN_OR_RETURN(Instance instance, GenerateInstance(options, index));
    instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace vrp
