#include "tests/testing/instance_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/base/random.h"

namespace vrp::test {
namespace {

constexpr double kBuilderSide = 100;      // side of the square of locations
constexpr double kBuilderHorizon = 1000;  // end of the depot's window with random windows

// Each property has its own random stream, so that setting one does not change another.
enum Substream : uint32_t { kPositions, kDemands, kWindows, kAsymmetry };

}  // namespace

InstanceBuilder& InstanceBuilder::WithCustomers(int32_t customers) {
  customers_ = customers;
  return *this;
}
InstanceBuilder& InstanceBuilder::Seed(uint64_t seed) {
  seed_ = seed;
  return *this;
}
InstanceBuilder& InstanceBuilder::Named(std::string name) {
  name_ = std::move(name);
  return *this;
}
InstanceBuilder& InstanceBuilder::Kind(ProblemKind kind) {
  kind_ = kind;
  return *this;
}
InstanceBuilder& InstanceBuilder::As(Metric metric) {
  metric_ = metric;
  return *this;
}
InstanceBuilder& InstanceBuilder::Capacity(double capacity) {
  vehicle_.capacity = capacity;
  return *this;
}
InstanceBuilder& InstanceBuilder::Vehicles(int32_t count) {
  vehicle_.count = count;
  return *this;
}
InstanceBuilder& InstanceBuilder::MaxDuration(double duration) {
  vehicle_.max_duration = duration;
  return *this;
}
InstanceBuilder& InstanceBuilder::MaxDistance(double distance) {
  vehicle_.max_distance = distance;
  return *this;
}
InstanceBuilder& InstanceBuilder::OpenEnd() {
  vehicle_.open_end = true;
  return *this;
}
InstanceBuilder& InstanceBuilder::Service(double time) {
  service_ = time;
  return *this;
}
InstanceBuilder& InstanceBuilder::At(std::vector<Position> positions) {
  customers_ = static_cast<int32_t>(positions.size()) - 1;
  positions_ = std::move(positions);
  return *this;
}
InstanceBuilder& InstanceBuilder::Demands(std::vector<double> demands) {
  demands_ = std::move(demands);
  return *this;
}
InstanceBuilder& InstanceBuilder::RandomDemands() {
  random_demands_ = true;
  return *this;
}
InstanceBuilder& InstanceBuilder::Backhauls(std::vector<double> backhauls) {
  backhauls_ = std::move(backhauls);
  return *this;
}
InstanceBuilder& InstanceBuilder::Windows(std::vector<TimeWindow> windows, double horizon) {
  kind_ = ProblemKind::kVrptw;
  windows_ = std::move(windows);
  horizon_ = horizon;
  return *this;
}
InstanceBuilder& InstanceBuilder::RandomWindows() {
  kind_ = ProblemKind::kVrptw;
  random_windows_ = true;
  horizon_ = kBuilderHorizon;
  return *this;
}
InstanceBuilder& InstanceBuilder::ExplicitMatrix(double asymmetry) {
  asymmetry_ = asymmetry;
  return *this;
}

InstanceData InstanceBuilder::BuildData() const {
  InstanceData data;
  data.name = name_;
  data.kind = kind_;
  data.metric = metric_;
  if (metric_ == Metric::kScaled1000) data.speed = 1000;  // times keep the coordinates' unit
  AddPositions(data);
  if (kind_ != ProblemKind::kTsp) AddLoads(data);
  if (kind_ == ProblemKind::kVrptw) AddWindows(data);
  if (asymmetry_ >= 0) AddMatrix(data);
  return data;
}

Instance InstanceBuilder::Build() const {
  absl::StatusOr<Instance> instance = Instance::Create(BuildData());
  if (instance.ok()) return *std::move(instance);
  std::fprintf(stderr, "InstanceBuilder: %s\n", instance.status().ToString().c_str());
  std::abort();
}

void InstanceBuilder::AddPositions(InstanceData& data) const {
  data.positions = positions_;
  CounterRandom random(seed_, 0, kPositions);
  while (static_cast<int32_t>(data.positions.size()) <= customers_) {
    const double x = kBuilderSide * random.UniformDouble();
    data.positions.push_back({.x = x, .y = kBuilderSide * random.UniformDouble()});
  }
}

void InstanceBuilder::AddLoads(InstanceData& data) const {
  data.vehicles = {vehicle_};
  data.demands = {0};
  data.demands.insert(data.demands.end(), demands_.begin(), demands_.end());
  const auto max_demand = static_cast<int64_t>(std::min(9.0, vehicle_.capacity));
  CounterRandom random(seed_, 0, kDemands);
  while (static_cast<int32_t>(data.demands.size()) <= customers_) {
    data.demands.push_back(random_demands_ ? static_cast<double>(random.UniformInt(1, max_demand))
                                           : 1);
  }
  if (!backhauls_.empty()) {
    data.backhauls = {0};
    data.backhauls.insert(data.backhauls.end(), backhauls_.begin(), backhauls_.end());
  }
  if (service_ > 0) {
    data.services.assign(data.positions.size(), service_);
    data.services[0] = 0;
  }
}

void InstanceBuilder::AddWindows(InstanceData& data) const {
  data.windows = {{.open = 0, .close = horizon_}};
  data.windows.insert(data.windows.end(), windows_.begin(), windows_.end());
  if (!random_windows_) return;
  CounterRandom random(seed_, 0, kWindows);
  for (int32_t i = 1; i <= customers_; ++i) {
    const double distance =
        MetricDistance(Metric::kExact, data.positions[0], data.positions[static_cast<size_t>(i)]);
    const double earliest = std::ceil(distance) + 1;
    const double latest =
        std::floor(kBuilderHorizon - (1 + std::max(asymmetry_, 0.0)) * distance - service_) - 1;
    const double a = earliest + std::floor((latest - earliest) * random.UniformDouble());
    const double b = earliest + std::floor((latest - earliest) * random.UniformDouble());
    data.windows.push_back({.open = std::min(a, b), .close = std::max(a, b)});
  }
}

void InstanceBuilder::AddMatrix(InstanceData& data) const {
  CounterRandom random(seed_, 0, kAsymmetry);
  for (size_t i = 0; i < data.positions.size(); ++i) {
    for (size_t j = 0; j < data.positions.size(); ++j) {
      const double distance = MetricDistance(metric_, data.positions[i], data.positions[j]);
      const double factor = j < i ? 1 + asymmetry_ * random.UniformDouble() : 1;
      data.distance_matrix.push_back(MetricSum(metric_, distance * factor));
    }
  }
  data.positions.clear();
}

}  // namespace vrp::test
