// Generates random instances of the distributions in the literature. The same arguments give the
// same instances on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/generate/layouts.h"
#include "core/problem/instance/instance.h"

namespace vrp {

struct GeneratorOptions {
  ProblemKind kind = ProblemKind::kCvrp;
  int32_t customers = 20;  // number of cities of a TSP
  uint64_t seed = 1234;
  double capacity = 0;  // 0 means DefaultCapacity(customers)
  Layout layout = Layout::kUniform;
  // Attributes as mixed by RouteFinder (Berto et al. 2024); not for a TSP.
  bool open_routes = false;  // whether routes end at their last customer
  // Whether routes have a distance limit, drawn between a round trip to the farthest customer and
  // three sides of the square.
  bool distance_limit = false;
  bool backhauls = false;  // whether about a fifth of the customers are backhauls
};

// Returns the default vehicle capacity for a number of customers.
double DefaultCapacity(double customers);

// Returns instance `index` of the stream that `options` describe. Counter-based random numbers make
// the instance independent of all others: any thread can generate any instance in any order.
// - kCvrp: Kool et al. 2019, "Attention, Learn to Solve Routing Problems!", appendix C.
//   The unit square, demands from 1 to 9, and capacity 20/30/40/50 at 10/20/50/100 customers,
//   interpolated linearly.
// - kTsp: unit square.
// - kVrptw: rl4co's CVRPTW (Berto et al. 2023): square [0, 150]^2, horizon 480, service 0, windows
//   reachable from the depot.
// Returns kInvalidArgument for fewer than 1 customer (TSP: 2) or more than 100,000, and for a
// capacity below 9. Layout::kX draws its own capacities, so `options` must not state one.
absl::StatusOr<Instance> GenerateInstance(const GeneratorOptions& options, int64_t index);
// Generates the same instance without name, ids and checks, for callers that need many instances.
// `options` must be valid and `index` not negative.
InstanceData GenerateInstanceData(const GeneratorOptions& options, int64_t index);
absl::Status CheckGeneratorOptions(const GeneratorOptions& options);
absl::StatusOr<std::vector<Instance>> GenerateInstances(const GeneratorOptions& options,
                                                        int64_t count);

}  // namespace vrp
