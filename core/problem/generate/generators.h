// Generates random instances of the distributions in the literature. The same arguments give the
// same instances on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/generate/layouts.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// The distribution of generated instances.
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
//   interpolated linearly. Above 100 customers, rl4co's capacities, up to 150 at 1,000.
// - kTsp: unit square.
// - kVrptw: rl4co's CVRPTW (Berto et al. 2023): square [0, 150]^2, horizon 480, service 0, windows
//   reachable from the depot.
// Returns kInvalidArgument for a negative index and as CheckGeneratorOptions does.
absl::StatusOr<Instance> GenerateInstance(const GeneratorOptions& options, int64_t index);
// Generates the same instance without name, ids and checks, for callers that need many instances.
// `options` must be valid and `index` not negative.
InstanceData GenerateInstanceData(const GeneratorOptions& options, int64_t index);
// Returns kInvalidArgument unless there are 1 to 99,999 customers (2 to 100,000 for a TSP) and the
// capacity is 0 or from 9 to 1e12. Also refuses a capacity or attributes for a TSP, and a capacity
// for Layout::kX, which draws its own.
absl::Status CheckGeneratorOptions(const GeneratorOptions& options);
// Generates the instances 0 to `count` - 1. Returns kInvalidArgument also for a negative count, or
// for more than 50 million nodes in all.
absl::StatusOr<std::vector<Instance>> GenerateInstances(const GeneratorOptions& options,
                                                        int64_t count);

}  // namespace vrp
