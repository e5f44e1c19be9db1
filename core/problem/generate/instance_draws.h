// The draws that generated instances are made of: functions of where a stream of numbers stands, so
// that the host, which reads a stream in order, and a device, whose threads begin where their part
// of it does, make the same instances. Plain structs and constexpr functions.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/random.h"
#include "core/problem/instance/metric.h"
#include "core/problem/instance/problem_kind.h"

namespace vrp {

// Substreams of (seed, number) by what is drawn from them; of some there is one for each kind.
enum class InstanceStream : uint32_t {
  kNodes = 0,        // + kind: uniform positions, loads, windows
  kAttributes = 16,  // + kind: what only some instances have, so that the others' do not change
  kSize = 32,        // of a batch
  kMixture = 33,     // kind, layout, capacity, attributes
  kAugmentation = 34,
  kChoice = 49,  // among a user's own instances
};

constexpr CounterRandom InstanceNumbers(uint64_t seed, int64_t number, InstanceStream stream) {
  return CounterRandom(seed, static_cast<uint64_t>(number), static_cast<uint32_t>(stream));
}
constexpr CounterRandom InstanceNumbers(uint64_t seed, int64_t number, InstanceStream stream,
                                        ProblemKind kind) {
  return CounterRandom(seed, static_cast<uint64_t>(number),
                       static_cast<uint32_t>(stream) + static_cast<uint32_t>(kind));
}

// Anywhere in a square; takes kPositionWords.
inline constexpr uint64_t kPositionWords = 4;
constexpr Position DrawPosition(double side, CounterRandom& random) {
  const double x = side * random.UniformDouble();
  return {.x = x, .y = side * random.UniformDouble()};
}

// Of a customer, whole: 1 .. largest. Takes kDemandWords, but for once in some 2^61 draws,
// when it takes more.
inline constexpr int64_t kMaxDemand = 9;
inline constexpr uint64_t kDemandWords = 2;
constexpr double DrawDemand(int64_t largest, CounterRandom& random) {
  return static_cast<double>(random.UniformInt(1, largest));
}

// Which of `count`, each equally likely; draws nothing where there is no choice.
constexpr int64_t DrawOneOf(int64_t count, CounterRandom& random) {
  return count == 1 ? 0 : random.UniformInt(0, count - 1);
}

// Whole, between these; draws nothing where there is no choice. Written as a fused multiply-add, as
// compilers might or might not make one of it.
constexpr double DrawCapacity(double low, double high, CounterRandom& random) {
  if (low == high) return low;
  return std::round(std::fma(high - low, random.UniformDouble(), low));
}

// Instances of the layout kUniform, of one size, without attributes: what a device draws by itself
// (core/kernels/instances/instance_program.h).
struct UniformInstances {
  uint64_t seed = 0;
  int32_t customers = 0;                                          // TSP: cities
  int32_t kinds = 1;                                              // of `kind`: each draws one
  ProblemKind kind[2] = {ProblemKind::kCvrp, ProblemKind::kTsp};  // no other
  double least_capacity = 0;
  double largest_capacity = 0;
};

}  // namespace vrp
