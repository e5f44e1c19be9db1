// Measures a choice of the training engine, on and off: two ways to do the same work, timed in
// turns.
#pragma once

#include <functional>
#include <string>

namespace vrp {

struct LeverSide {
  std::string name;
  std::function<void()> run;
};

struct Lever {
  std::string part;
  std::string size;
  LeverSide on;
  LeverSide off;
};

// Runs both sides in turns, at least seven times and for half a second, and prints a JSON line:
//   {"part", "size", "threads": 1, "on", "on_ms", "on_cpu_ms", "on_spread", "off", ..., "ratio",
//    "ratio_cpu", "turns", "load1"}
// Times are medians of a run's wall clock and of the process's CPU time. Other load on the machine
// disturbs the CPU time less. Spread is (slowest - fastest) / median. Ratios are off / on.
void MeasureLever(const Lever& lever);

// Reduces all later measurements to one turn and, if possible, less work, to test only that they
// run.
void MeasureOnceOnly();
bool MeasuresOnceOnly();

}  // namespace vrp
