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
constexpr auto ObjectField(Value Object::*member, std::optional<Feature> feature,
                           const FieldTraits& traits) {
  return Field<kKind, false, Object, Value>{{traits}, member, feature};
}

template <FieldKind kKind, typename Value>
constexpr auto PerNodeField(std::vector<Value> InstanceData::*member,
                            std::optional<Feature> feature, const FieldTraits& traits) {
  return Field<kKind, true, InstanceData, Value>{{traits}, member, feature};
}

template <typename Object>
constexpr auto kList = nullptr;

template <>
inline constexpr auto kList<TimeWindow> = std::tuple{
    ObjectField<kTime>(&TimeWindow::open, kPlain, {.name = "open"}),
    ObjectField<kAllowance>(&TimeWindow::close, kPlain, {.name = "close"}),
    ObjectField<kAllowance>(&TimeWindow::late_cost, Feature::kSoftWindows, {.name = "late_cost"}),
};

template <>
inline constexpr auto kList<Position> = std::tuple{
    ObjectField<kNumber>(&Position::x, kPlain, {.name = "x"}),
    ObjectField<kNumber>(&Position::y, kPlain, {.name = "y"}),
};

template <>
inline constexpr auto kList<Break> = std::tuple{
    ObjectField<kHardWindow>(&Break::window, kPlain, {.name = "window", .message = "time_window"}),
    ObjectField<kTime>(&Break::duration, kPlain, {.name = "duration"}),
    ObjectField<kFurtherWindows>(&Break::further_windows, kPlain,
                                 {.name = "further_windows", .message = "further_time_windows"}),
    ObjectField<kMaxLoads>(&Break::max_load, kPlain, {.name = "max_load"}),
};

template <>
inline constexpr auto kList<CustomerTimes> = std::tuple{
    ObjectField<kCustomer>(&CustomerTimes::customer, kPlain, {.name = "customer"}),
    ObjectField<kAllowance>(&CustomerTimes::service, kPlain,
                            {.name = "service", .message = "service_time"}),
    ObjectField<kAllowance>(&CustomerTimes::setup, kPlain,
                            {.name = "setup", .message = "setup_time"}),
};

template <>
inline constexpr auto kList<Compartment> = std::tuple{
    ObjectField<kPositive>(&Compartment::capacity, kPlain, {.name = "capacity"}),
    ObjectField<kLoadDimensions>(&Compartment::load_dimensions, kPlain,
                                 {.name = "load_dimensions"}),
};

template <>
inline constexpr auto kList<TimedMatrix> = std::tuple{
    ObjectField<kTime>(&TimedMatrix::at, kPlain, {.name = "at"}),
    ObjectField<kDurations>(&TimedMatrix::durations, kPlain, {.name = "durations"}),
};

template <>
inline constexpr auto kList<Shipment> = std::tuple{
    ObjectField<kName>(&Shipment::id, kPlain, {.name = "id"}),
    ObjectField<kCustomer>(&Shipment::pickup, kPlain,
                           {.name = "pickup", .message = "pickup_customer"}),
    ObjectField<kCustomer>(&Shipment::delivery, kPlain,
                           {.name = "delivery", .message = "delivery_customer"}),
    ObjectField<kLoads>(&Shipment::amounts, kPlain, {.name = "amount"}),
};

template <>
inline constexpr auto kList<CustomerRule> = std::tuple{
    ObjectField<kChoice>(&CustomerRule::kind, kPlain, {.name = "kind"}),
    ObjectField<kCustomers>(&CustomerRule::customers, kPlain, {.name = "customers"}),
    ObjectField<kCount>(&CustomerRule::max, Feature::kMaxPerRoute, {.name = "max", .min_value = 1}),
};

template <>
inline constexpr auto kList<FeatureColumn> = std::tuple{
    ObjectField<kName>(&FeatureColumn::name, kPlain, {.name = "name"}),
    ObjectField<kColumnValues>(&FeatureColumn::values, kPlain, {.name = "values"}),
};

template <>
inline constexpr auto kList<Balance> = std::tuple{
    ObjectField<kChoice>(&Balance::measure, kPlain, {.name = "measure"}),
    ObjectField<kAllowance>(&Balance::max_spread, kPlain, {.name = "max_spread"}),
    ObjectField<kNumber>(&Balance::cost, kPlain, {.name = "cost"}),
    ObjectField<kFlag>(&Balance::all_vehicles, kPlain, {.name = "all_vehicles"}),
};

template <>
inline constexpr auto kList<DrivingRules> = std::tuple{
    ObjectField<kLimit>(&DrivingRules::max_driving_before_break, kPlain,
                        {.name = "max_driving_before_break"}),
    ObjectField<kNumber>(&DrivingRules::break_duration, kPlain, {.name = "break_duration"}),
    ObjectField<kNumber>(&DrivingRules::first_part, kPlain, {.name = "first_part"}),
    ObjectField<kNumber>(&DrivingRules::second_part, kPlain, {.name = "second_part"}),
    ObjectField<kLimit>(&DrivingRules::max_driving, kPlain, {.name = "max_driving"}),
    ObjectField<kLimit>(&DrivingRules::max_work, kPlain, {.name = "max_work"}),
};

template <>
inline constexpr auto kList<VehicleType> = std::tuple{
    ObjectField<kName>(&VehicleType::id, kPlain, {.name = "id"}),
    ObjectField<kCount>(&VehicleType::count, kPlain,
                        {.name = "count", .sampled = true, .max_value = kMaxVehicles}),
    ObjectField<kDepot>(&VehicleType::depot, kPlain,
                        {.name = "depot", .message = "start_depot", .sampled = true}),
    ObjectField<kEndDepot>(&VehicleType::end_depot, Feature::kEndDepot, {.name = "end_depot"}),
    ObjectField<kCapacity>(&VehicleType::capacity, kPlain,
                           {.name = "capacity", .vrplib = "CAPACITY", .sampled = true}),
    ObjectField<kFurtherCapacities>(&VehicleType::further_capacities, kPlain, {.name = "capacity"}),
    ObjectField<kLimit>(
        &VehicleType::max_duration, Feature::kMaxDuration,
        {.name = "max_duration", .vrplib = "VEHICLES_MAX_DURATION", .sampled = true}),
    ObjectField<kLimit>(&VehicleType::max_distance, Feature::kMaxDistance,
                        {.name = "max_distance",
                         .vrplib = "VEHICLES_MAX_DISTANCE",
                         .is_distance = true,
                         .sampled = true}),
    ObjectField<kAllowance>(&VehicleType::max_waiting, Feature::kMaxWaiting,
                            {.name = "max_waiting"}),
    ObjectField<kFlag>(&VehicleType::open_end, Feature::kOpenEnd,
                       {.name = "open_end", .sampled = true}),
    ObjectField<kHardWindow>(&VehicleType::shift, Feature::kShift, {.name = "shift"}),
    ObjectField<kCost>(&VehicleType::fixed_cost, kPlain,
                       {.name = "fixed_cost", .vrplib = "VEHICLES_FIXED_COST"}),
    ObjectField<kCost>(&VehicleType::cost_per_distance, kPlain,
                       {.name = "cost_per_distance", .vrplib = "VEHICLES_UNIT_DISTANCE_COST"}),
    ObjectField<kCost>(&VehicleType::cost_per_time, kPlain, {.name = "cost_per_time"}),
    ObjectField<kAllowance>(&VehicleType::max_overtime, Feature::kOvertime,
                            {.name = "max_overtime"}),
    ObjectField<kCost>(&VehicleType::overtime_cost, kPlain, {.name = "overtime_cost"}),
    ObjectField<kCount>(&VehicleType::max_stops, Feature::kMaxStops,
                        {.name = "max_stops", .min_value = 1}),
    ObjectField<kCount>(&VehicleType::max_reloads, Feature::kReloads,
                        {.name = "max_reloads", .max_value = kMaxNodes}),
    ObjectField<kDepots>(&VehicleType::reload_depots, Feature::kReloadDepots,
                         {.name = "reload_depots"}),
    ObjectField<kAllowance>(&VehicleType::latest_start, Feature::kLatestStart,
                            {.name = "latest_start"}),
    ObjectField<kInitialLoad>(&VehicleType::initial_load, Feature::kInitialLoad,
                              {.name = "initial_load"}),
    ObjectField<kSkills>(&VehicleType::skills, kPlain, {.name = "skills"}),
    ObjectField<kBreaks>(&VehicleType::breaks, Feature::kBreaks, {.name = "breaks"}),
    ObjectField<kFlag>(&VehicleType::lifo, Feature::kLifo, {.name = "lifo"}),
    ObjectField<kCompartments>(&VehicleType::compartments, Feature::kCompartments,
                               {.name = "compartments"}),
    ObjectField<kDistances>(&VehicleType::distance_matrix, Feature::kVehicleMatrix,
                            {.name = "distance_matrix"}),
    ObjectField<kDistances>(&VehicleType::length_matrix, Feature::kLengthMatrix,
                            {.name = "length_matrix"}),
    ObjectField<kDurations>(&VehicleType::duration_matrix, Feature::kVehicleMatrix,
                            {.name = "duration_matrix"}),
    ObjectField<kTimedDurations>(&VehicleType::duration_matrices, Feature::kTimeOfDay,
                                 {.name = "duration_matrices"}),
    ObjectField<kCustomerTimes>(&VehicleType::customer_times, Feature::kCustomerTimes,
                                {.name = "customer_times"}),
    ObjectField<kCost>(&VehicleType::cost_per_service_time, Feature::kServiceTimeCost,
                       {.name = "cost_per_service_time"}),
    ObjectField<kCost>(&VehicleType::cost_per_travel_time, Feature::kTravelTimeCost,
                       {.name = "cost_per_travel_time"}),
    ObjectField<kDrivingRules>(&VehicleType::driving_rules, Feature::kDrivingRules,
                               {.name = "driving_rules"}),
};

template <>
inline constexpr auto kList<InstanceData> = std::tuple{
    ObjectField<kName>(&InstanceData::name, kPlain, {.name = "name", .allowed_in_tsp = true}),
    ObjectField<kChoice>(
        &InstanceData::kind, kPlain,
        {.name = "kind", .message = "problem_type", .allowed_in_tsp = true, .sampled = true}),
    ObjectField<kChoice>(&InstanceData::metric, kPlain,
                         {.name = "metric", .allowed_in_tsp = true, .sampled = true}),
    ObjectField<kChoice>(&InstanceData::objective, Feature::kObjective, {.name = "objective"}),
    ObjectField<kChoice>(
        &InstanceData::coordinates, kPlain,
        {.name = "coordinates", .message = "coordinate_system", .allowed_in_tsp = true}),
    ObjectField<kCount>(&InstanceData::num_depots, Feature::kSeveralDepots,
                        {.name = "num_depots", .message = {}, .sampled = true, .min_value = 1}),
    ObjectField<kCount>(&InstanceData::load_dimensions, Feature::kLoadDimensions,
                        {.name = "load_dimensions",
                         .json = {},
                         .message = {},
                         .min_value = 1,
                         .max_value = kMaxLoadDimensions}),
    ObjectField<kPositive>(&InstanceData::speed, kPlain,
                           {.name = "speed", .allowed_in_tsp = true, .sampled = true}),
    ObjectField<kVehicles>(&InstanceData::vehicles, Feature::kVehicleTypes, {.name = "vehicles"}),
    PerNodeField<kName>(&InstanceData::ids, kPlain,
                        {.name = "id", .list = "ids", .json = "ids", .allowed_in_tsp = true}),
    PerNodeField<kPosition>(&InstanceData::positions, kPlain,
                            {.name = "position",
                             .list = "positions",
                             .json = "coords",
                             .message = "location",
                             .allowed_in_tsp = true,
                             .sampled = true}),
    PerNodeField<kLoad>(&InstanceData::demands, kPlain,
                        {.name = "demand",
                         .list = "demands",
                         .json = "demands",
                         .allowed_in_tsp = true,
                         .sampled = true}),
    PerNodeField<kLoad>(
        &InstanceData::backhauls, Feature::kBackhauls,
        {.name = "backhaul", .list = "backhauls", .json = "backhauls", .sampled = true}),
    PerNodeField<kLoad>(&InstanceData::pickups, Feature::kPickups,
                        {.name = "pickup", .list = "pickups", .json = "pickups"}),
    PerNodeField<kWindow>(&InstanceData::windows, kPlain,
                          {.name = "window",
                           .list = "windows",
                           .json = "time_windows",
                           .message = "time_windows",
                           .sampled = true}),
    PerNodeField<kFurtherWindows>(
        &InstanceData::further_windows, Feature::kSeveralWindows,
        {.name = "further_windows", .json = "time_windows", .message = "time_windows"}),
    PerNodeField<kTime>(&InstanceData::services, kPlain,
                        {.name = "service",
                         .list = "services",
                         .message = "service_time",
                         .allowed_in_tsp = true,
                         .sampled = true}),
    PerNodeField<kTime>(&InstanceData::setups, Feature::kSetupTimes,
                        {.name = "setup", .list = "setups", .message = "setup_time"}),
    PerNodeField<kTime>(&InstanceData::releases, Feature::kReleaseTimes,
                        {.name = "release", .list = "releases", .message = "release_time"}),
    PerNodeField<kSkills>(&InstanceData::required_skills, Feature::kSkills,
                          {.name = "required_skills"}),
    PerNodeField<kPrize>(&InstanceData::prizes, Feature::kPrizes,
                         {.name = "prize", .list = "prizes", .json = "prizes"}),
    PerNodeField<kPriority>(&InstanceData::priorities, Feature::kPriorities,
                            {.name = "priority",
                             .list = "priorities",
                             .json = "priorities",
                             .max_value = kMaxCustomerPriority}),
    ObjectField<kDistances>(&InstanceData::distance_matrix, kPlain,
                            {.name = "distance_matrix", .allowed_in_tsp = true, .sampled = true}),
    ObjectField<kDurations>(&InstanceData::duration_matrix, kPlain,
                            {.name = "duration_matrix", .allowed_in_tsp = true, .sampled = true}),
    ObjectField<kTimedDurations>(&InstanceData::duration_matrices, Feature::kTimeOfDay,
                                 {.name = "duration_matrices"}),
    ObjectField<kDistances>(&InstanceData::length_matrix, Feature::kLengthMatrix,
                            {.name = "length_matrix"}),
    ObjectField<kMatrixRows>(&InstanceData::matrix_rows, Feature::kMatrixRows,
                             {.name = "matrix_rows", .message = {}}),
    ObjectField<kShipments>(&InstanceData::shipments, Feature::kShipments, {.name = "shipments"}),
    ObjectField<kGroups>(&InstanceData::alternative_groups, Feature::kAlternatives,
                         {.name = "alternative_groups"}),
    ObjectField<kBalance>(&InstanceData::balance, Feature::kBalance, {.name = "balance"}),
    ObjectField<kRules>(&InstanceData::customer_rules, Feature::kSameRoute,
                        {.name = "customer_rules"}),
    ObjectField<kReference>(&InstanceData::reference_cost, kPlain,
                            {.name = "reference_cost", .json = "ref_cost", .allowed_in_tsp = true}),
    ObjectField<kUnits>(&InstanceData::units, kPlain,
                        {.name = "units", .json = {}, .message = {}, .allowed_in_tsp = true}),
    ObjectField<kColumns>(&InstanceData::features, kPlain,
                          {.name = "features", .allowed_in_tsp = true}),
};

}  // namespace fields_internal
}  // namespace vrp
