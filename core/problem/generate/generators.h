// Seeded instances of the field's usual distributions. The same arguments give the same instances
// on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/generate/layouts.h"
#include "core/problem/instance/instance.h"

namespace vrp {

struct GeneratorOptions {
  ProblemKind kind = ProblemKind::kCvrp;
  int32_t customers = 20;  // TSP: cities
  uint64_t seed = 1234;
  double capacity = 0;  // 0: the distribution's own for that size
  Layout layout = Layout::kUniform;
  // Attributes as RouteFinder mixes them (Berto et al. 2024); not for a TSP.
  bool open_routes = false;     // vehicles do not return
  bool distance_limit = false;  // of a route: between what the farthest customer needs there and
                                // back and three sides of the square
  bool backhauls = false;       // about a fifth of the customers has goods picked up instead
};

// Vehicle capacity by the number of customers, where none is asked for.
double UsualCapacity(double customers);

// Instance `index` of the stream that `options` name; independent of all others (counter-based
// random numbers), so that any of them can be made alone, in any order, by any thread. kCvrp: Kool
// et al. 2019, "Attention, Learn to Solve Routing Problems!", appendix C: unit square,
// demands 1..9, capacity 20/30/40/50 at 10/20/50/100 customers (between them: the linear
// interpolation). kTsp: unit square. kVrptw: rl4co's CVRPTW (Berto et al. 2023): square [0,150]^2,
// horizon 480, service 0, windows reachable from the depot. kInvalidArgument: customers < 1 (TSP: <
// 2) or above 100,000; a capacity below 9, or any with Layout::kX, which draws its own.
absl::StatusOr<Instance> GenerateInstance(const GeneratorOptions& options, int64_t index);
// The same without name and ids, for those who need very many. `options` must be right, `index` not
// negative.
InstanceData GenerateInstanceData(const GeneratorOptions& options, int64_t index);
absl::Status CheckGeneratorOptions(const GeneratorOptions& options);
absl::StatusOr<std::vector<Instance>> GenerateInstances(const GeneratorOptions& options,
                                                        int64_t count);

}  // namespace vrp
