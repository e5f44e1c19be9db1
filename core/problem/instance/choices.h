// Names of the values of an instance's enumerations, as files and options state them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/problem/instance/balance.h"
#include "core/problem/instance/instance_data.h"
#include "core/problem/instance/metric.h"
#include "core/problem/instance/objective.h"
#include "core/problem/instance/problem_kind.h"

namespace vrp {

// The names of all values of `Choice`, in the order of their declaration.
template <typename Choice>
inline constexpr std::nullptr_t kChoiceNames = nullptr;

template <>
inline constexpr std::array<std::string_view, 3> kChoiceNames<ProblemKind> = {"tsp", "cvrp",
                                                                              "vrptw"};
template <>
inline constexpr std::array<std::string_view, 5> kChoiceNames<Metric> = {"exact", "cvrplib", "ceil",
                                                                         "dimacs", "scaled1000"};
template <>
inline constexpr std::array<std::string_view, 4> kChoiceNames<Objective> = {
    "distance", "vehicles_then_distance", "duration", "cost"};
template <>
inline constexpr std::array<std::string_view, 2> kChoiceNames<CoordinateSystem> = {"planar",
                                                                                   "lon_lat"};
template <>
inline constexpr std::array<std::string_view, 4> kChoiceNames<BalanceMeasure> = {
    "duration", "distance", "load", "stops"};

template <>
inline constexpr std::array<std::string_view, 4> kChoiceNames<RuleKind> = {
    "same_route", "different_routes", "max_per_route", "in_order"};

template <typename Choice>
constexpr std::string_view ChoiceName(Choice choice) {
  return kChoiceNames<Choice>[static_cast<size_t>(choice)];
}

template <typename Choice>
constexpr std::optional<Choice> ChoiceFromName(std::string_view name) {
  for (size_t i = 0; i < kChoiceNames<Choice>.size(); ++i) {
    if (kChoiceNames<Choice>[i] == name) return static_cast<Choice>(i);
  }
  return std::nullopt;
}

// Returns the names as a phrase: "tsp, cvrp or vrptw".
template <typename Choice>
std::string ChoiceList() {
  const auto& names = kChoiceNames<Choice>;
  std::string list(names[0]);
  for (size_t i = 1; i < names.size(); ++i) {
    list += i + 1 < names.size() ? ", " : " or ";
    list += names[i];
  }
  return list;
}

}  // namespace vrp
