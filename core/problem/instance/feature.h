// Requirements beyond the plain problem, by which solvers refuse what they do not support.
#pragma once

namespace vrp {

// The plain problem (TSP, CVRP, VRPTW) has one depot and one vehicle type with one capacity.
// Customers have a demand, one hard window and a service time. The objective is distance.
enum class Feature {
  kObjective,  // other than distance
  kSeveralDepots,
  kVehicleTypes,  // more than one
  kEndDepot,      // other than the start depot
  kOpenEnd,
  kLoadDimensions,  // more than one
  kBackhauls,
  kPickups,
  kShipments,
  kMaxDuration,
  kMaxDistance,
  kMaxStops,
  kShift,
  kOvertime,
  kReloads,
  kSkills,
  kBreaks,
  kVehicleMatrix,
  kSoftWindows,
  kSeveralWindows,
  kSetupTimes,
  kReleaseTimes,
  kPrizes,
  kPriorities,
  kAlternatives,
  kFrozenStops,
  kMatrixRows,  // several nodes share a row of the matrices
};

}  // namespace vrp
