// The list of the fields of an instance, the only code that names them all.
//
// To add a field, add the member to its struct and one line here. A member without a line does not
// compile. Read the list through ForEachField of fields.h.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "core/problem/instance/feature.h"
#include "core/problem/instance/field.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {
namespace fields_internal {

using enum FieldKind;

inline constexpr std::optional<Feature> kPlain = std::nullopt;  // supported by every solver

template <FieldKind kKind, typename Object, typename Value>
constexpr auto One(Value Object::*member, std::optional<Feature> feature,
                   const FieldTraits& traits) {
  return Field<kKind, false, Object, Value>{{traits}, member, feature};
}

template <FieldKind kKind, typename Value>
constexpr auto Each(std::vector<Value> InstanceData::*member, std::optional<Feature> feature,
                    const FieldTraits& traits) {
  return Field<kKind, true, InstanceData, Value>{{traits}, member, feature};
}

template <typename Object>
constexpr auto kList = nullptr;

template <>
inline constexpr auto kList<TimeWindow> = std::tuple{
    One<kTime>(&TimeWindow::open, kPlain, {.name = "open"}),
    One<kAllowance>(&TimeWindow::close, kPlain, {.name = "close"}),
    One<kAllowance>(&TimeWindow::late_cost, Feature::kSoftWindows, {.name = "late_cost"}),
};

template <>
inline constexpr auto kList<Position> = std::tuple{
    One<kNumber>(&Position::x, kPlain, {.name = "x"}),
    One<kNumber>(&Position::y, kPlain, {.name = "y"}),
};

template <>
inline constexpr auto kList<Break> = std::tuple{
    One<kHardWindow>(&Break::window, kPlain, {.name = "window", .message = "time_window"}),
    One<kTime>(&Break::duration, kPlain, {.name = "duration"}),
};

template <>
inline constexpr auto kList<Shipment> = std::tuple{
    One<kName>(&Shipment::id, kPlain, {.name = "id"}),
    One<kCustomer>(&Shipment::pickup, kPlain, {.name = "pickup", .message = "pickup_customer"}),
    One<kCustomer>(&Shipment::delivery, kPlain,
                   {.name = "delivery", .message = "delivery_customer"}),
    One<kLoads>(&Shipment::amounts, kPlain, {.name = "amount"}),
};

template <>
inline constexpr auto kList<FeatureColumn> = std::tuple{
    One<kName>(&FeatureColumn::name, kPlain, {.name = "name"}),
    One<kColumnValues>(&FeatureColumn::values, kPlain, {.name = "values"}),
};

template <>
inline constexpr auto kList<VehicleType> = std::tuple{
    One<kName>(&VehicleType::id, kPlain, {.name = "id"}),
    One<kCount>(&VehicleType::count, kPlain,
                {.name = "count", .sampled = true, .max_value = kMaxVehicles}),
    One<kDepot>(&VehicleType::depot, kPlain,
                {.name = "depot", .message = "start_depot", .sampled = true}),
    One<kEndDepot>(&VehicleType::end_depot, Feature::kEndDepot, {.name = "end_depot"}),
    One<kCapacity>(&VehicleType::capacity, kPlain,
                   {.name = "capacity", .vrplib = "CAPACITY", .sampled = true}),
    One<kFurtherCapacities>(&VehicleType::further_capacities, kPlain, {.name = "capacity"}),
    One<kLimit>(&VehicleType::max_duration, Feature::kMaxDuration,
                {.name = "max_duration", .vrplib = "VEHICLES_MAX_DURATION", .sampled = true}),
    One<kLimit>(&VehicleType::max_distance, Feature::kMaxDistance,
                {.name = "max_distance",
                 .vrplib = "VEHICLES_MAX_DISTANCE",
                 .of_distance = true,
                 .sampled = true}),
    One<kFlag>(&VehicleType::open_end, Feature::kOpenEnd, {.name = "open_end", .sampled = true}),
    One<kHardWindow>(&VehicleType::shift, Feature::kShift, {.name = "shift"}),
    One<kCost>(&VehicleType::fixed_cost, kPlain,
               {.name = "fixed_cost", .vrplib = "VEHICLES_FIXED_COST"}),
    One<kCost>(&VehicleType::cost_per_distance, kPlain,
               {.name = "cost_per_distance", .vrplib = "VEHICLES_UNIT_DISTANCE_COST"}),
    One<kCost>(&VehicleType::cost_per_time, kPlain, {.name = "cost_per_time"}),
    One<kAllowance>(&VehicleType::max_overtime, Feature::kOvertime, {.name = "max_overtime"}),
    One<kCost>(&VehicleType::overtime_cost, kPlain, {.name = "overtime_cost"}),
    One<kCount>(&VehicleType::max_stops, Feature::kMaxStops, {.name = "max_stops", .min_value = 1}),
    One<kCount>(&VehicleType::max_reloads, Feature::kReloads,
                {.name = "max_reloads", .max_value = kMaxNodes}),
    One<kSkills>(&VehicleType::skills, kPlain, {.name = "skills"}),
    One<kBreaks>(&VehicleType::breaks, Feature::kBreaks, {.name = "breaks"}),
    One<kDistances>(&VehicleType::distance_matrix, Feature::kVehicleMatrix,
                    {.name = "distance_matrix"}),
    One<kDurations>(&VehicleType::duration_matrix, Feature::kVehicleMatrix,
                    {.name = "duration_matrix"}),
};

template <>
inline constexpr auto kList<InstanceData> = std::tuple{
    One<kName>(&InstanceData::name, kPlain, {.name = "name", .of_tsp = true}),
    One<kChoice>(&InstanceData::kind, kPlain,
                 {.name = "kind", .message = "problem_type", .of_tsp = true, .sampled = true}),
    One<kChoice>(&InstanceData::metric, kPlain,
                 {.name = "metric", .of_tsp = true, .sampled = true}),
    One<kChoice>(&InstanceData::objective, Feature::kObjective, {.name = "objective"}),
    One<kChoice>(&InstanceData::coordinates, kPlain,
                 {.name = "coordinates", .message = "coordinate_system", .of_tsp = true}),
    One<kCount>(&InstanceData::num_depots, Feature::kSeveralDepots,
                {.name = "num_depots", .message = {}, .sampled = true, .min_value = 1}),
    One<kCount>(&InstanceData::load_dimensions, Feature::kLoadDimensions,
                {.name = "load_dimensions",
                 .json = {},
                 .message = {},
                 .min_value = 1,
                 .max_value = kMaxLoadDimensions}),
    One<kPositive>(&InstanceData::speed, kPlain,
                   {.name = "speed", .of_tsp = true, .sampled = true}),
    One<kVehicles>(&InstanceData::vehicles, Feature::kVehicleTypes, {.name = "vehicles"}),
    Each<kName>(&InstanceData::ids, kPlain,
                {.name = "id", .list = "ids", .json = "ids", .of_depots = true, .of_tsp = true}),
    Each<kPosition>(&InstanceData::positions, kPlain,
                    {.name = "position",
                     .list = "positions",
                     .json = "coords",
                     .message = "location",
                     .of_depots = true,
                     .of_tsp = true,
                     .sampled = true}),
    Each<kLoad>(
        &InstanceData::demands, kPlain,
        {.name = "demand", .list = "demands", .json = "demands", .of_tsp = true, .sampled = true}),
    Each<kLoad>(&InstanceData::backhauls, Feature::kBackhauls,
                {.name = "backhaul", .list = "backhauls", .json = "backhauls", .sampled = true}),
    Each<kLoad>(&InstanceData::pickups, Feature::kPickups,
                {.name = "pickup", .list = "pickups", .json = "pickups"}),
    Each<kWindow>(&InstanceData::windows, kPlain,
                  {.name = "window",
                   .list = "windows",
                   .json = "time_windows",
                   .message = "time_windows",
                   .of_depots = true,
                   .sampled = true}),
    Each<kFurtherWindows>(
        &InstanceData::further_windows, Feature::kSeveralWindows,
        {.name = "further_windows", .json = "time_windows", .message = "time_windows"}),
    Each<kTime>(&InstanceData::services, kPlain,
                {.name = "service",
                 .list = "services",
                 .message = "service_time",
                 .of_tsp = true,
                 .sampled = true}),
    Each<kTime>(&InstanceData::setups, Feature::kSetupTimes,
                {.name = "setup", .list = "setups", .message = "setup_time"}),
    Each<kTime>(&InstanceData::releases, Feature::kReleaseTimes,
                {.name = "release", .list = "releases", .message = "release_time"}),
    Each<kSkills>(&InstanceData::required_skills, Feature::kSkills, {.name = "required_skills"}),
    Each<kPrize>(&InstanceData::prizes, Feature::kPrizes,
                 {.name = "prize", .list = "prizes", .json = "prizes"}),
    Each<kPriority>(&InstanceData::priorities, Feature::kPriorities,
                    {.name = "priority",
                     .list = "priorities",
                     .json = "priorities",
                     .max_value = kMaxCustomerPriority}),
    One<kDistances>(&InstanceData::distance_matrix, kPlain,
                    {.name = "distance_matrix", .of_tsp = true, .sampled = true}),
    One<kDurations>(&InstanceData::duration_matrix, kPlain,
                    {.name = "duration_matrix", .of_tsp = true, .sampled = true}),
    One<kMatrixRows>(&InstanceData::matrix_rows, Feature::kMatrixRows,
                     {.name = "matrix_rows", .message = {}}),
    One<kShipments>(&InstanceData::shipments, Feature::kShipments, {.name = "shipments"}),
    One<kGroups>(&InstanceData::alternative_groups, Feature::kAlternatives,
                 {.name = "alternative_groups"}),
    One<kReference>(&InstanceData::reference_cost, kPlain,
                    {.name = "reference_cost", .json = "ref_cost", .of_tsp = true}),
    One<kUnits>(&InstanceData::units, kPlain,
                {.name = "units", .json = {}, .message = {}, .of_tsp = true}),
    One<kColumns>(&InstanceData::features, kPlain, {.name = "features", .of_tsp = true}),
};

}  // namespace fields_internal
}  // namespace vrp
