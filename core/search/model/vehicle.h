// Vehicle types as the search reads them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/problem/instance/fields.h"
#include "core/search/model/compartments.h"

namespace vrp {

class TravelProfiles;

// Far below the checker's tolerance (1e-6), far above the rounding of sums of doubles.
inline constexpr double kRelativeSlack = 1e-9;

// Returns `limit` with room for rounding. The checker allows twice that.
inline double WithSlack(double limit) { return limit * (1 + kRelativeSlack / 2); }

// The limits of a vehicle whose own ones may be broken at a penalty.
struct SoftLimits {
  std::vector<double> capacity = {};  // [K], with room for rounding, as duration and distance
  double shift_close = kNoLimit;
  double duration = kNoLimit;  // overtime included
  double distance = kNoLimit;
};

// The times at all nodes for some vehicles, [N] each.
struct HandlingTimes {
  std::vector<double> service = {}, setup = {};
};

// Instance types that differ in nothing but id and count are one here.
struct Vehicle {
  std::vector<std::pair<int32_t, int32_t>> originals = {};  // instance types and their counts
  const VehicleType* original = nullptr;  // one of these, for limits that are simulated only
  int32_t count = 0;                      // INT32_MAX: as many as needed
  NodeIndex start = 0;
  NodeIndex end = 0;                  // Problem::nowhere() where the end is open
  std::vector<double> capacity = {};  // [K], with room for rounding; also of all compartments
  double leaves_from = 0;             // depot and shift open
  double leaves_by = kNoLimit;        // the depot closes
  double shift_close = kNoLimit;
  double regular_duration = kNoLimit;  // overtime counts from here
  double duration_limit = kNoLimit;    // overtime included; with room for rounding, as distance
  double distance_limit = kNoLimit;
  double length_limit = kNoLimit;  // instead of distance_limit where the instance has lengths
  int32_t max_stops = 0;
  int32_t max_reloads = 0;
  std::vector<NodeIndex> reload_depots = {};  // not empty
  std::vector<double> initial_load = {};      // [K] on board during the first trip; empty: none
  bool may_unload_first = false;              // as VehicleType::MayUnloadFirst
  int32_t skills = 0;                         // a row of Problem's table
  std::vector<Break> breaks = {};
  bool lifo = false;
  // Null where `capacity` says it all.
  std::shared_ptr<const Compartments> compartments = {};
  SoftLimits soft = {};  // of a penalised problem
  // What the objective makes of it.
  double fixed = 0;
  double per_distance = 1;
  double per_time = 0;
  double overtime_cost = 0;
  double per_service_time = 0;
  double per_travel_time = 0;
  // In place of NodeTimes', which are lower bounds then; null: those are exact.
  std::shared_ptr<const HandlingTimes> times = nullptr;
  bool needs_duration = false;       // some cost or limit asks for it
  bool needs_timed_driving = false;  // as NeedsTimedDriving; then needs_duration holds, too
  // The cost of a change, or whether it is feasible, needs the whole route simulated.
  bool simulated = false;
  // Travel; null: from positions, distance / speed. Types that share matrices share these.
  const double* distance = nullptr;  // [N, N]
  const double* duration = nullptr;  // [N, N]
  // In place of these where the instance has matrix_rows.
  const double* row_distance = nullptr;  // [R, R]
  const double* row_duration = nullptr;  // [R, R]
  // Travel times by departure. The durations above are then the shortest ones, lower bounds that
  // only reject. Null: the durations hold at all times.
  const TravelProfiles* profiles = nullptr;
  bool symmetric = true;

  // Of a used vehicle; `late` is the cost of lateness.
  double TimeCost(double route_duration) const {
    return per_time * route_duration +
           overtime_cost * std::max(0.0, route_duration - regular_duration);
  }
};

// Features of vehicle types that are not left to RouteEvaluator alone.
inline constexpr std::array kKnownVehicleFeatures = {
    Feature::kEndDepot,       Feature::kOpenEnd,       Feature::kMaxDuration,
    Feature::kMaxDistance,    Feature::kMaxStops,      Feature::kShift,
    Feature::kOvertime,       Feature::kReloads,       Feature::kBreaks,
    Feature::kVehicleMatrix,  Feature::kReloadDepots,  Feature::kLatestStart,
    Feature::kLifo,           Feature::kCompartments,  Feature::kInitialLoad,
    Feature::kTimeOfDay,      Feature::kCustomerTimes, Feature::kServiceTimeCost,
    Feature::kTravelTimeCost, Feature::kLengthMatrix};

// Whether the type has another limit. Only RouteEvaluator judges it, and a route may keep it only
// along with further visits. So it is with a limit on the load at a break, which a reload may meet.
inline bool HasFurtherLimits(const InstanceData& data, const VehicleType& type) {
  if (LimitsLength(data, type)) return true;
  const auto limits_load = [](const Break& pause) { return !pause.max_load.empty(); };
  if (type.max_reloads > 0 && std::ranges::any_of(type.breaks, limits_load)) return true;
  return !AllFields<VehicleType>([&](auto field) {
    return !field.feature.has_value() ||
           std::ranges::count(kKnownVehicleFeatures, *field.feature) > 0 ||
           type.*field.member == field.Default();
  });
}

// Whether the way between two customers, and the work there, is the same to both.
inline bool TravelAlike(const Vehicle& a, const Vehicle& b) {
  return a.times == b.times && a.distance == b.distance && a.duration == b.duration &&
         a.row_distance == b.row_distance && a.row_duration == b.row_duration;
}

// Whether both have the same way from end to end: what one drives takes the other as long.
inline bool DriveAlike(const Vehicle& a, const Vehicle& b) {
  return a.start == b.start && a.end == b.end && a.shift_close == b.shift_close &&
         TravelAlike(a, b);
}

// Returns the depot at which the vehicle reloads in place of another vehicle's reload at `depot`.
inline NodeIndex ReloadInsteadOf(const Vehicle& vehicle, NodeIndex depot) {
  const auto& own = vehicle.reload_depots;
  return std::ranges::count(own, depot) > 0 ? depot : own.front();
}

// The customers of `nodes`, a plan's route of that type, as the search keeps them: with the
// vehicle's start and end.
inline std::vector<NodeIndex> WithEnds(const Vehicle& vehicle,
                                       std::span<const NodeIndex> customers) {
  std::vector<NodeIndex> nodes = {vehicle.start};
  nodes.insert(nodes.end(), customers.begin(), customers.end());
  nodes.push_back(vehicle.end);
  return nodes;
}

}  // namespace vrp
