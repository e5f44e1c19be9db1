// Measures a choice of the training engine, on and off: two variants of the same work, timed in
// turns.
#pragma once

#include <functional>
#include <string>

namespace vrp {

struct LeverVariant {
  std::string name;
  std::function<void()> run;
};

struct Lever {
  std::string part;
  std::string size;
  LeverVariant on;
  LeverVariant off;
};

// Runs both variants in turns, for half a second, but 7 to 400 times, and prints a JSON line:
//   {"part", "size", "threads": 1, "on", "on_ms", "on_cpu_ms", "on_spread", "off", ..., "ratio",
//    "ratio_cpu", "turns", "load1"}
// Times are medians of a run's wall time and of the calling thread's CPU time. Other load on the
// machine disturbs the CPU time less. Spread is (slowest - fastest) / median. Ratios are off / on.
void MeasureLever(const Lever& lever);

// Reduces all later measurements to one turn and, if possible, less work, to test only that they
// run.
void MeasureOnceOnly();

// Returns whether MeasureOnceOnly was called.
bool MeasuresOnceOnly();

}  // namespace vrp
