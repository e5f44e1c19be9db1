#include "core/train/data/instance_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/formats.h"
#include "core/problem/generate/generators.h"
#include "core/train/data/json_lines.h"

namespace vrp {
namespace {

template <typename T>
T OneOf(const std::vector<T>& items, CounterRandom& random) {
  return items[static_cast<size_t>(DrawOneOf(std::ssize(items), random))];
}

absl::StatusOr<Instance> CheckSupported(absl::StatusOr<Instance> instance, const std::string& where,
                                        const BatchForm& form) {
  VRP_RETURN_IF_ERROR(instance.status());
  const absl::Status status = BatchSupports(*instance, form);
  if (status.ok()) return instance;
  return absl::Status(status.code(), Concat(where, ": ", FromAbsl(status.message())));
}

absl::Status AddLines(const DataFile& file, const BatchForm& form,
                      std::vector<Instance>& instances) {
  return ForEachLine(file, [&](std::string_view line, int64_t number) -> absl::StatusOr<bool> {
    const std::string where = Concat(file.name, ":", number);
    VRP_ASSIGN_OR_RETURN(Instance instance, CheckSupported(ParseJson(line, where), where, form));
    instances.push_back(std::move(instance));
    return true;
  });
}

void ApplySymmetry(int64_t symmetry, std::vector<Position>& positions) {
  if (positions.empty()) return;
  Position low = positions.front();
  Position high = low;
  for (const Position& position : positions) {
    low = {.x = std::min(low.x, position.x), .y = std::min(low.y, position.y)};
    high = {.x = std::max(high.x, position.x), .y = std::max(high.y, position.y)};
  }
  for (Position& position : positions) {
    if ((symmetry & 1) != 0) position.x = low.x + high.x - position.x;
    if ((symmetry & 2) != 0) position.y = low.y + high.y - position.y;
    if ((symmetry & 4) != 0) std::swap(position.x, position.y);
  }
}

void JitterDemands(double share, CounterRandom& random, InstanceData& data) {
  const double capacity = data.vehicles.empty() ? kNoLimit : data.vehicles.front().capacity;
  for (double& demand : data.demands) {
    if (demand == 0) continue;
    const double changed = demand * (1 + share * (2 * random.UniformDouble() - 1));
    // Integer demands stay integers, so that they can still fill a capacity exactly.
    const bool is_integer = demand == std::floor(demand);
    demand = std::min(capacity, is_integer ? std::max(1.0, std::round(changed)) : changed);
  }
}

}  // namespace

int32_t DrawCustomers(const ProblemConfig& problem, uint64_t seed, int64_t batch) {
  const IntegerRange range = problem.customers;
  if (range.low == range.high) return range.low;
  CounterRandom random = InstanceRandom(seed, batch, InstanceStream::kBatchSize);
  if (problem.customers_skew == 1) {
    return static_cast<int32_t>(random.UniformInt(range.low, range.high));
  }
  const double sizes = range.high - range.low + 1;
  const double drawn = sizes * std::pow(random.UniformDouble(), problem.customers_skew);
  return range.low + std::min(static_cast<int32_t>(drawn), range.high - range.low);
}

InstanceData DrawInstance(const ProblemConfig& problem, uint64_t seed, int64_t index,
                          int32_t customers) {
  CounterRandom random = InstanceRandom(seed, index, InstanceStream::kMixture);
  GeneratorOptions options{.customers = customers, .seed = seed};
  options.kind = OneOf(problem.kinds, random);
  options.layout = OneOf(problem.layouts, random);
  const bool tsp = options.kind == ProblemKind::kTsp;
  if (!tsp && options.layout != Layout::kX && problem.capacity.high > 0) {
    options.capacity = DrawCapacity(problem.capacity.low, problem.capacity.high, random);
  }
  const auto is_drawn = [&](double chance) {
    return !tsp && chance > 0 && random.UniformDouble() < chance;
  };
  options.open_routes = is_drawn(problem.open_routes);
  options.distance_limit = is_drawn(problem.distance_limit);
  options.backhauls = is_drawn(problem.backhauls);
  return GenerateInstanceData(options, index);
}

absl::StatusOr<UniformInstances> DeviceDistribution(const ProblemConfig& problem) {
  const auto refuse = [](const auto&... parts) {
    return absl::UnimplementedError(Concat(parts...));
  };
  if (!problem.instances.empty()) return refuse("instances: read from files, not generated");
  if (problem.customers.low != problem.customers.high)
    return refuse("customers: got several sizes, wanted one");
  for (const Layout layout : problem.layouts) {
    if (layout != Layout::kUniform) return refuse("layouts: ", LayoutName(layout));
  }
  if (problem.open_routes > 0) return refuse("open_routes: above 0");
  if (problem.distance_limit > 0) return refuse("distance_limit: above 0");
  if (problem.backhauls > 0) return refuse("backhauls: above 0");
  const bool has_capacity = problem.capacity.high > 0;
  const double default_capacity = DefaultCapacity(problem.customers.low);
  UniformInstances drawn = {
      .seed = problem.seed,
      .customers = problem.customers.low,
      .kinds = 0,
      .min_capacity = has_capacity ? problem.capacity.low : default_capacity,
      .max_capacity = has_capacity ? problem.capacity.high : default_capacity};
  for (const ProblemKind kind : problem.kinds) {
    if (kind == ProblemKind::kVrptw) return refuse("kinds: ", KindName(kind));
    if (drawn.kinds == std::ssize(drawn.kind)) return refuse("kinds: a kind is repeated");
    drawn.kind[drawn.kinds++] = kind;
  }
  return drawn;
}

int64_t BaselineInstances(int64_t replacements) {
  constexpr int64_t kFirst = int64_t{1} << 44;
  constexpr int64_t kStride = int64_t{1} << 24;
  return kFirst + replacements * kStride;
}

absl::StatusOr<std::vector<Instance>> ReadInstanceFiles(const std::vector<DataFile>& files,
                                                        const BatchForm& form) {
  std::vector<Instance> instances;
  for (const DataFile& file : files) {
    if (file.HasLines()) {
      VRP_RETURN_IF_ERROR(AddLines(file, form, instances));
      continue;
    }
    VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.path));
    VRP_ASSIGN_OR_RETURN(Instance instance,
                         CheckSupported(ParseInstance(text, file.name), file.name, form));
    instances.push_back(std::move(instance));
  }
  return instances;
}

InstanceData Augment(const InstanceData& instance, const ProblemConfig& problem, uint64_t seed,
                     int64_t index) {
  CounterRandom random = InstanceRandom(seed, index, InstanceStream::kAugmentation);
  InstanceData data = instance;
  data.ids.clear();
  if (problem.augment) ApplySymmetry(random.UniformInt(0, 7), data.positions);
  if (problem.demand_jitter > 0) JitterDemands(problem.demand_jitter, random, data);
  return data;
}

}  // namespace vrp
