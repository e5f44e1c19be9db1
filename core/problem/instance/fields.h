// The list of the fields of an instance, the only code that names them all.
//
// Comparison, validation, feature detection, JSON, conversion from messages and sample records use
// this list through ForEachField. To add a field, add the member to its struct and one line here. A
// member without a line does not compile. A new FieldKind does not compile until each visitor says
// how to treat it. Visitors take a field by value, so that its kind is a constant:
//
//   ForEachField(vehicle, [&](auto field, const auto& value) {
//     if constexpr (field.kKind == FieldKind::kName) Print(field.name, value);
//   });
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/problem/instance/feature.h"
#include "core/problem/instance/instance_data.h"
#include "core/problem/instance/member_count.h"

namespace vrp {

// The type and the valid values of a field. Per-node fields hold a vector of them.
enum class FieldKind {
  kName,               // std::string, short printable UTF-8
  kFlag,               // bool
  kCount,              // int32_t from `least` to `most`
  kNumber,             // double, finite
  kPositive,           // double > 0
  kTime,               // double >= 0
  kLimit,              // double > 0, or kNoLimit
  kAllowance,          // double >= 0, or kNoLimit
  kCost,               // double >= 0; default value unless Objective::kCost
  kLoad,               // double >= 0; [N, K] if per node
  kLoads,              // std::vector<double> [K], each >= 0
  kCapacity,           // double >= 0 or kNoLimit, for the first load dimension
  kFurtherCapacities,  // std::vector<double> [K - 1] or empty, each like kCapacity
  kPrize,              // double >= 0; kNoLimit means no prize
  kPriority,           // int32_t from `least` to `most`
  kPosition,           // Position
  kDepot,              // NodeIndex of a depot
  kEndDepot,           // NodeIndex of a depot, or kSameAsStart
  kCustomer,           // NodeIndex of a customer
  kWindow,             // TimeWindow
  kHardWindow,         // TimeWindow without late_cost
  kFurtherWindows,     // std::vector<TimeWindow>, sorted and disjoint, after the kWindow
  kSkills,             // std::vector<std::string>, each a non-empty kName
  kBreaks,             // std::vector<Break>
  kChoice,             // an enumeration
  kShipments,          // std::vector<Shipment>
  kGroups,             // std::vector<std::vector<NodeIndex>> of customers
  kVehicles,           // std::vector<VehicleType>
  kDistances,          // std::vector<double> [R, R] or empty, multiples of the metric's unit
  kDurations,          // std::vector<double> [R, R] or empty
  kMatrixRows,         // std::vector<int32_t> [N] or empty
  kReference,          // std::optional<Cost>
  kUnits,              // StatedUnits
  kColumns,            // std::vector<FeatureColumn>
  kColumnValues,       // std::vector<double> [N]
};

// The names of a field and how generic code treats it. An empty name means that the field has none.
struct FieldTraits {
  std::string_view name = {};       // in error paths: `vehicles[2].shift`, `customers[7].prize`
  std::string_view list = name;     // the whole vector of a per-node field, in error paths
  std::string_view json = name;     // the key in our JSON
  std::string_view message = name;  // the field in proto/vrp/v1/instance.proto
  std::string_view vrplib = {};     // keyword of VRPLIB; KEYWORD_SECTION has a number per vehicle
  bool of_distance = false;         // whether a kLimit is in units of distance, not of time
  bool of_depots = false;           // whether depots may also have the per-node field
  bool of_tsp = false;              // whether a TSP may have the field; loads must be 0
  bool sampled = false;             // whether training samples record the field, in list order
  int32_t least = 0;                // smallest value of kCount and kPriority
  int32_t most = INT32_MAX;         // largest value of kCount and kPriority
};

// A member of `Object`. A per-node field is a vector with a `Value` for each node, or for each node
// and load dimension. An empty vector means that every node has the default.
template <FieldKind kOwnKind, bool kOwnPerNode, typename OwnObject, typename OwnValue>
struct Field : FieldTraits {
  using Object = OwnObject;
  using Value = OwnValue;
  using Member = std::conditional_t<kOwnPerNode, std::vector<Value>, Value>;
  static constexpr FieldKind kKind = kOwnKind;
  static constexpr bool kPerNode = kOwnPerNode;

  Member Object::*member = nullptr;
  std::optional<Feature> feature = {};  // feature that every value except the default requires

  // Returns the value for an object or a node that does not state the field.
  Value Default() const {
    if constexpr (!kPerNode) {
      return Object().*member;
    } else if constexpr (kKind == FieldKind::kPrize) {
      return kNoLimit;
    } else {
      return Value();
    }
  }
};

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
                {.name = "count", .sampled = true, .most = kMaxVehicles}),
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
    One<kCount>(&VehicleType::max_stops, Feature::kMaxStops, {.name = "max_stops", .least = 1}),
    One<kCount>(&VehicleType::max_reloads, Feature::kReloads,
                {.name = "max_reloads", .most = kMaxNodes}),
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
                {.name = "num_depots", .message = {}, .sampled = true, .least = 1}),
    One<kCount>(&InstanceData::load_dimensions, Feature::kLoadDimensions,
                {.name = "load_dimensions",
                 .json = {},
                 .message = {},
                 .least = 1,
                 .most = kMaxLoadDimensions}),
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
                     .most = kMaxCustomerPriority}),
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

// Returns the list of the fields of `Object`. Does not compile if the list lacks a member.
template <typename Object>
constexpr const auto& CheckedList() {
  static_assert(
      std::tuple_size_v<std::remove_cvref_t<decltype(kList<Object>)>> == MemberCount<Object>(),
      "each member of the struct needs a line in its list of fields");
  return kList<Object>;
}

}  // namespace fields_internal

// Calls `visitor(field)` for each field of `Object`: an InstanceData, VehicleType, Shipment, Break,
// TimeWindow, Position or FeatureColumn.
template <typename Object, typename Visitor>
constexpr void ForEachField(const Visitor& visitor) {
  std::apply([&](const auto&... fields) { (visitor(fields), ...); },
             fields_internal::CheckedList<Object>());
}

// Calls `visitor(field, value)` for each field of `object`, which may be const.
template <typename Object, typename Visitor>
constexpr void ForEachField(Object& object, const Visitor& visitor) {
  ForEachField<std::remove_const_t<Object>>(
      [&](const auto& field) { visitor(field, object.*field.member); });
}

// Calls `visitor(field)` for each per-node field, which depots or customers have.
template <typename Visitor>
constexpr void ForEachNodeField(const Visitor& visitor) {
  ForEachField<InstanceData>([&](auto field) {
    if constexpr (field.kPerNode) visitor(field);
  });
}

// Calls `visitor(field, values)` for each per-node field, `values` being the vector of all nodes.
template <typename Data, typename Visitor>
  requires std::is_same_v<std::remove_const_t<Data>, InstanceData>
constexpr void ForEachNodeField(Data& data, const Visitor& visitor) {
  ForEachNodeField([&](const auto& field) { visitor(field, data.*field.member); });
}

// Whether `accepts(field)` holds for all fields of `Object`. Stops at the first field that fails.
template <typename Object, typename Predicate>
constexpr bool AllFields(const Predicate& accepts) {
  return std::apply([&](const auto&... fields) { return (accepts(fields) && ...); },
                    fields_internal::CheckedList<Object>());
}

}  // namespace vrp
