// Draws the parts of generated instances from positions in a stream of random numbers. The host
// reads a stream in order; on a device, each thread starts at its own part. Both generate the same
// instances. This header contains only plain structs and constexpr functions, so that CUDA code can
// include it.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/random.h"
#include "core/problem/instance/metric.h"
#include "core/problem/instance/problem_kind.h"

namespace vrp {

// Substreams of (seed, number). Those marked `+ kind` are separate for each problem kind.
enum class InstanceStream : uint32_t {
  kNodes = 0,        // + kind; uniform positions, loads, windows
  kAttributes = 16,  // + kind; optional attributes, separate so that kNodes does not change
  kBatchSize = 32,   // size of a batch
  kMixture = 33,     // kind, layout, capacity, attributes
  kAugmentation = 34,
  kChoice = 49,  // choice among the user's instances
};

constexpr CounterRandom InstanceRandom(uint64_t seed, int64_t number, InstanceStream stream) {
  return CounterRandom(seed, static_cast<uint64_t>(number), static_cast<uint32_t>(stream));
}
constexpr CounterRandom InstanceRandom(uint64_t seed, int64_t number, InstanceStream stream,
                                       ProblemKind kind) {
  return CounterRandom(seed, static_cast<uint64_t>(number),
                       static_cast<uint32_t>(stream) + static_cast<uint32_t>(kind));
}

inline constexpr uint64_t kPositionWords = 4;  // words of the stream that DrawPosition consumes
// Draws a position in the square [0, side]^2.
constexpr Position DrawPosition(double side, CounterRandom& random) {
  const double x = side * random.UniformDouble();
  return {.x = x, .y = side * random.UniformDouble()};
}

inline constexpr int64_t kMaxDemand = 9;     // largest demand, except with Layout::kX
inline constexpr uint64_t kDemandWords = 2;  // words of the stream that DrawDemand consumes
// Draws an integer demand from 1 to `largest`. Consumes more than kDemandWords words in about one
// of 2^61 draws with kMaxDemand.
constexpr double DrawDemand(int64_t largest, CounterRandom& random) {
  return static_cast<double>(random.UniformInt(1, largest));
}

// Draws an integer from 0 to `count` - 1 with equal probability. Consumes nothing if `count` is 1.
constexpr int64_t DrawOneOf(int64_t count, CounterRandom& random) {
  return count == 1 ? 0 : random.UniformInt(0, count - 1);
}

// Draws an integer from `low` to `high`. Consumes nothing if both are equal. The fused multiply-add
// is explicit, so that all compilers give the same result.
constexpr double DrawCapacity(double low, double high, CounterRandom& random) {
  if (low == high) return low;
  return std::round(std::fma(high - low, random.UniformDouble(), low));
}

// Instances of Layout::kUniform, of one size and without attributes, which devices generate
// (core/kernels/instances/instance_program.h).
struct UniformInstances {
  uint64_t seed = 0;
  int32_t customers = 0;  // number of cities of a TSP
  int32_t kinds = 1;      // used entries of `kind`, of which each instance draws one
  ProblemKind kind[2] = {ProblemKind::kCvrp, ProblemKind::kTsp};  // only these two
  double min_capacity = 0;
  double max_capacity = 0;
};

}  // namespace vrp
