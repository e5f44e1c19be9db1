// Chooses the times of a route whose order is given, as VROOM's plan mode does.
#pragma once

#include <optional>
#include <vector>

#include "core/problem/instance/vehicle.h"

namespace vrp {

// A step of a route, with times in seconds. The first step is the start of the route, the last one
// its end.
struct VroomTimedStep {
  // Whether the step is a break. A vehicle may take breaks at any point of the travel between two
  // other steps.
  bool is_break = false;
  double travel = 0;  // from the previous step that is not a break; 0 for a break
  double work = 0;    // from the step's start until the vehicle can go on
  double earliest = 0, latest = kNoLimit;  // bounds of the step's start, which must hold
  // The windows for the step's start, in order, which should hold. Empty: any time.
  std::vector<TimeWindow> windows = {};
};

// Returns how much later than the nearest window `time` is: negative before that window, and 0
// within a window or without windows.
double TimeOutsideWindows(const std::vector<TimeWindow>& windows, double time);

// The result of ChooseVroomTimes.
enum class VroomTimesError { kNone, kInfeasible, kTooManySteps };
struct VroomTimes {
  VroomTimesError error = VroomTimesError::kNone;
  std::vector<double> starts = {};  // by step; empty after an error
};

// Returns the starts of the steps that minimise, in this order, the sum of times outside the
// windows, the time from the route's start to its end, and the sum of the starts of all steps
// between them. Rounds to milliseconds. Takes O(steps * windows), and more with breaks.
VroomTimes ChooseVroomTimes(const std::vector<VroomTimedStep>& steps);

}  // namespace vrp
