// A field of an instance as a value: the kind of its content, its names and its member.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/problem/instance/feature.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// The type and the valid values of a field. A per-node field holds a vector of such values.
enum class FieldKind {
  kName,               // std::string, short printable UTF-8
  kFlag,               // bool
  kCount,              // int32_t from `min_value` to `max_value`
  kNumber,             // double, finite
  kPositive,           // double > 0
  kTime,               // double >= 0
  kLimit,              // double > 0, or kNoLimit
  kAllowance,          // double >= 0, or kNoLimit
  kCost,               // double >= 0; default value unless Objective::kCost
  kLoad,               // double >= 0; [N, K] if per node
  kLoads,              // std::vector<double> [K], each >= 0
  kInitialLoad,        // std::vector<double> [K] or empty, each from 0 to the capacity
  kCapacity,           // double >= 0 or kNoLimit, for the first load dimension
  kFurtherCapacities,  // std::vector<double> [K - 1] or empty, each like kCapacity
  kPrize,              // double >= 0; kNoLimit means no prize
  kPriority,           // int32_t from `min_value` to `max_value`
  kPosition,           // Position
  kDepot,              // NodeIndex of a depot
  kEndDepot,           // NodeIndex of a depot, or kSameAsStart
  kDepots,             // std::vector<NodeIndex> of depots, each at most once
  kCustomer,           // NodeIndex of a customer
  kWindow,             // TimeWindow
  kHardWindow,         // TimeWindow without late_cost
  kFurtherWindows,     // std::vector<TimeWindow>, sorted and disjoint, after the first window
  kSkills,             // std::vector<std::string>, each a non-empty kName
  kBreaks,             // std::vector<Break>
  kLoadDimensions,     // std::vector<int32_t>, load dimensions, each at most once
  kCompartments,       // std::vector<Compartment>
  kMaxLoads,           // std::vector<double> [K] or empty, each like kAllowance
  kCustomerTimes,      // std::vector<CustomerTimes>
  kChoice,             // an enumeration
  kShipments,          // std::vector<Shipment>
  kGroups,             // std::vector<std::vector<NodeIndex>> of customers
  kRules,              // std::vector<CustomerRule>
  kCustomers,          // std::vector<NodeIndex> of customers
  kVehicles,           // std::vector<VehicleType>
  kDistances,          // std::vector<double> [R, R] or empty, multiples of the metric's unit
  kDurations,          // std::vector<double> [R, R] or empty
  kTimedDurations,     // std::vector<TimedMatrix>, with increasing times
  kMatrixRows,         // std::vector<int32_t> [N] or empty
  kBalance,            // std::optional<Balance>
  kReference,          // std::optional<Cost>
  kUnits,              // StatedUnits
  kColumns,            // std::vector<FeatureColumn>
  kColumnValues,       // std::vector<double> [N]
  kDrivingRules,       // DrivingRules
};

// The names of a field and how generic code treats it. An empty name means that the field has none.
struct FieldTraits {
  std::string_view name = {};       // in error paths: `vehicles[2].shift`, `customers[7].prize`
  std::string_view list = name;     // the whole vector of a per-node field, in error paths
  std::string_view json = name;     // the key in our JSON
  std::string_view message = name;  // the field in proto/vrp/v1/instance.proto
  std::string_view vrplib = {};     // keyword of VRPLIB; KEYWORD_SECTION has a number per vehicle
  bool is_distance = false;         // whether a kLimit is in units of distance, not of time
  bool allowed_in_tsp = false;      // whether a TSP may have the field; loads must be 0
  bool sampled = false;             // whether training samples record the field, in list order
  int32_t min_value = 0;            // smallest value of kCount and kPriority
  int32_t max_value = INT32_MAX;    // largest value of kCount and kPriority
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

}  // namespace vrp
