// Features that instances may require. Solvers refuse instances with features that they do not
// support.
#pragma once

namespace vrp {

// A feature beyond the plain problem. The plain problem (TSP, CVRP, VRPTW) has one depot and one
// vehicle type with one capacity, or none for a TSP. Customers have at most a demand, one hard
// window and a service time. The objective is distance.
enum class Feature {
  kObjective,  // an objective other than distance
  kSeveralDepots,
  kVehicleTypes,  // more than one vehicle type
  kEndDepot,      // an end depot other than the start depot
  kOpenEnd,
  kLoadDimensions,  // more than one load dimension
  kBackhauls,
  kPickups,
  kShipments,
  kMaxDuration,
  kMaxDistance,
  kMaxWaiting,
  kMaxStops,
  kShift,
  kOvertime,
  kReloads,
  kReloadDepots,  // reloads at other depots than the start
  kLatestStart,
  kInitialLoad,
  kSkills,
  kBreaks,
  kVehicleMatrix,
  kLifo,
  kCompartments,
  kTimeOfDay,  // travel times that depend on the time of departure
  kSoftWindows,
  kSeveralWindows,
  kSetupTimes,
  kReleaseTimes,
  kPrizes,
  kPriorities,
  kAlternatives,
  kSameRoute,  // customer_rules of these kinds
  kDifferentRoutes,
  kMaxPerRoute,
  kInOrder,
  kFrozenStops,
  kMatrixRows,  // matrix_rows, with which several nodes can share a row of the matrices
  kBalance,     // a limit or a price on differences between routes
  kCustomerTimes,
  kServiceTimeCost,
  kDrivingRules,
  kDepotService,  // loading times at depots
  kTravelTimeCost,
  kLengthMatrix,  // lengths besides the distances, for max_distance
};

}  // namespace vrp
