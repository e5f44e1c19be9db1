#include "core/train/estimate/estimate_instances.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/problem/generate/generators.h"
#include "core/problem/generate/instance_draws.h"

namespace vrp {
namespace {

constexpr uint32_t kDrawStream = 96;  // of random numbers, beside those of InstanceStream
constexpr uint32_t kLongStream = 98;
constexpr double kMinRoute = 3;  // customers
constexpr double kMaxRoute = 25;
constexpr double kMinLongRoute = 20;
constexpr double kMaxLongRoute = 100;
constexpr double kLongestHorizon = 6;      // in units of the usual one
constexpr double kNarrowestWindow = 0.03;  // share of the horizon
constexpr double kMeanDemand = 5;
constexpr double kMaxService = 15;  // time units, of a horizon of 480

// Removes the windows of some customers, and adds a service time. Windows move so that vehicles
// return in time.
void VaryTimes(InstanceData& data, CounterRandom& random) {
  const std::array<double, 4> shares = {0.25, 0.5, 0.75, 1};
  const auto drawn = static_cast<size_t>(random.UniformInt(0, 5));
  const double share = shares[std::min<size_t>(drawn, 3)];
  const bool serves = random.UniformInt(0, 1) == 1;
  const double service = serves ? std::round(kMaxService * random.UniformDouble()) : 0;
  const double horizon = data.windows.front().close;
  for (size_t i = 1; i < data.positions.size(); ++i) {
    data.services[i] = service;
    TimeWindow& window = data.windows[i];
    if (random.UniformDouble() >= share) window = {.open = 0, .close = horizon};
    const double distance = MetricDistance(data.metric, data.positions[0], data.positions[i]);
    window.close = std::min(window.close, std::floor(horizon - service - distance));
    window.open = std::min(window.open, window.close);
  }
}

// Returns a number from `low` to `high` whose logarithm is uniform.
double DrawLogUniform(double low, double high, CounterRandom& random) {
  return low * std::pow(high / low, random.UniformDouble());
}

// Lets vehicles serve many customers, in a longer time with other windows.
void LengthenRoutes(InstanceData& data, CounterRandom& random) {
  const double largest = *std::ranges::max_element(data.demands);
  const double sum = std::accumulate(data.demands.begin(), data.demands.end(), 0.0);
  const double mean = sum / static_cast<double>(data.demands.size() - 1);
  const double route = DrawLogUniform(kMinLongRoute, kMaxLongRoute, random);
  data.vehicles.front().capacity = std::max(largest, std::round(mean * route));
  if (data.windows.empty()) return;
  const double horizon =
      std::round(data.windows.front().close * DrawLogUniform(1, kLongestHorizon, random));
  data.windows.front().close = horizon;
  const double width = DrawLogUniform(kNarrowestWindow, 1, random);
  for (size_t i = 1; i < data.positions.size(); ++i) {
    const double distance = MetricDistance(data.metric, data.positions[0], data.positions[i]);
    const double centre = distance + (horizon - 2 * distance) * random.UniformDouble();
    const double half = 0.5 * width * horizon * (0.5 + random.UniformDouble());
    data.windows[i] = {.open = std::max(0.0, std::floor(centre - half)),
                       .close = std::max(std::ceil(distance), std::floor(centre + half))};
  }
}

// Swaps the last customer with a random one: layouts add customers of one kind last.
void SwapLast(InstanceData& data, CounterRandom& random) {
  const size_t last = data.positions.size() - 1;
  const auto other = static_cast<size_t>(random.UniformInt(1, static_cast<int64_t>(last)));
  std::swap(data.positions[last], data.positions[other]);
  std::swap(data.demands[last], data.demands[other]);
  if (!data.windows.empty()) std::swap(data.windows[last], data.windows[other]);
}

}  // namespace

bool HasLongRoutes(const EstimateDraws& draws, int64_t index) {
  CounterRandom random(draws.seed, static_cast<uint64_t>(index / kDrawnAlike), kLongStream);
  return random.UniformDouble() < draws.long_routes;
}

absl::StatusOr<Instance> DrawEstimateInstance(const EstimateDraws& draws, int64_t index) {
  CounterRandom random(draws.seed, static_cast<uint64_t>(index), kDrawStream);
  GeneratorOptions options = {.seed = draws.seed};
  options.customers =
      static_cast<int32_t>(random.UniformInt(draws.min_customers, draws.max_customers));
  const bool timed = random.UniformDouble() < draws.windows;
  options.kind = timed ? ProblemKind::kVrptw : ProblemKind::kCvrp;
  options.layout = static_cast<Layout>(random.UniformInt(0, 2));
  const double route = DrawLogUniform(kMinRoute, kMaxRoute, random);
  if (options.layout != Layout::kX) {
    options.capacity = std::max<double>(kMaxDemand, std::round(kMeanDemand * route));
  }
  InstanceData data = GenerateInstanceData(options, index);
  if (HasLongRoutes(draws, index)) LengthenRoutes(data, random);
  if (timed) VaryTimes(data, random);
  SwapLast(data, random);
  return Instance::Create(std::move(data));
}

absl::StatusOr<Instance> WithoutLastCustomer(const Instance& instance) {
  InstanceData data = instance.data();
  data.ids.pop_back();
  data.positions.pop_back();
  data.demands.pop_back();
  if (!data.windows.empty()) data.windows.pop_back();
  if (!data.services.empty()) data.services.pop_back();
  return Instance::Create(std::move(data));
}

}  // namespace vrp
