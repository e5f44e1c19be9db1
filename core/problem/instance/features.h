// What an instance asks for beyond the plain problem, so that each solver can refuse what it does
// not know, by name.
#pragma once

#include <string>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// The plain problem (TSP, CVRP, VRPTW) has one depot, one vehicle type with one capacity, demands,
// one hard window a customer, service times, and its distance for the objective.
enum class Feature {
  kObjective,  // another one than distance
  kSeveralDepots,
  kVehicleTypes,  // more than one
  kEndDepot,      // another one than where the vehicle starts
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
  kMatrixRows,  // matrices of places that nodes share
};

// Where it is asked for first: `vehicles[2].max_distance`, `customers[17].prize`, `objective`.
struct FeatureUse {
  Feature feature = Feature::kObjective;
  std::string field;
};

// Each feature once, in the order of the enum. O(size of the instance).
std::vector<FeatureUse> FeaturesOf(const Instance& instance);

// kUnimplemented for the first use that is not in `known`: `FIELD: not supported by WHO`.
absl::Status RefuseFeatures(const Instance& instance, const std::vector<Feature>& known,
                            std::string_view who);

}  // namespace vrp
