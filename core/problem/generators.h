// Seeded instances of the field's usual distributions. The same arguments give the same instances
// on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance.h"

namespace vrp {

struct GeneratorOptions {
  ProblemKind kind = ProblemKind::kCvrp;
  int32_t customers = 20;  // TSP: cities
  uint64_t seed = 1234;
  double capacity = 0;  // 0: the distribution's own for that size
};

// Instance `index` of the stream that `options` name; independent of all others (counter-based
// random numbers), so that any of them can be made alone, in any order, by any thread. kCvrp: Kool
// et al. 2019, "Attention, Learn to Solve Routing Problems!", appendix C: unit square,
// demands 1..9, capacity 20/30/40/50 at 10/20/50/100 customers (between them: the linear
// interpolation). kTsp: unit square. kVrptw: rl4co's CVRPTW (Berto et al. 2023): square [0,150]^2,
// horizon 480, service 0, windows reachable from the depot. kInvalidArgument: customers < 1 (TSP: <
// 2) or above 100,000; a capacity below 9.
absl::StatusOr<Instance> GenerateInstance(const GeneratorOptions& options, int64_t index);
absl::StatusOr<std::vector<Instance>> GenerateInstances(const GeneratorOptions& options,
                                                        int64_t count);

}  // namespace vrp
